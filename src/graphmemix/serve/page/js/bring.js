// Bringing files in: drag and drop of files, folders and zips, the upload, and the jobs that read them.

import { announce, byId, h, size } from "./dom.js";
import { exportHelp } from "./invite.js";
import { inWords } from "./problems.js";
import { counted, t } from "./words.js";

const EVERY = 700; // milliseconds between looks at a job
const ENDED = ["done", "interrupted", "stopped", "failed"];
const STATES = { queued: "waiting", running: "under way", done: "done", interrupted: "interrupted", stopped: "stopped", failed: "failed" };
const MOST_SKIPPED = 50; // lines of what was left out
let wiring = null;
let uploading = null; // {share, controller} of the upload under way
let watching = 0; // the timer that looks at jobs

/** Wire up; `current()` returns the archive, `onread()` is called when a job has ended. */
export function setUpBringing(current, { onproblem, onread, goToJobs, jobsAt }) {
  wiring = { current, onproblem, onread, goToJobs, jobsAt };
  byId("bring-drop").replaceChildren(dropZone());
  byId("bring-help").replaceChildren(exportHelp());
  byId("describe").addEventListener("click", () => startJob("describe"));
  // A file that is dropped beside a zone must not replace the page: it is brought in.
  addEventListener("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    takeDropped(event.dataTransfer);
  });
}

/** A place to drop files on, with buttons to choose them. */
export function dropZone() {
  const files = h("input", { type: "file", multiple: true, hidden: true, class: "choose-files", "aria-label": t("Files") });
  const folder = h("input", { type: "file", webkitdirectory: true, hidden: true, "aria-label": t("Folder") });
  for (const input of [files, folder])
    input.addEventListener("change", () => {
      send([...input.files].map((file) => ({ file, name: file.webkitRelativePath || file.name })));
      input.value = "";
    });
  const zone = h(
    "div",
    { class: "drop-zone" },
    h("p", {}, t("Drop files, folders or zips here")),
    h("p", { class: "faint" }, t("Photos and videos, mail, chats, documents, calendars, notes; exports as they are")),
    h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: () => files.click() }, t("Choose files")), h("button", { type: "button", onclick: () => folder.click() }, t("Choose a folder")), files, folder),
  );
  zone.addEventListener("dragover", () => zone.classList.add("over"));
  for (const end of ["dragleave", "drop"]) zone.addEventListener(end, () => zone.classList.remove("over"));
  return zone;
}

async function takeDropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const loose = [...transfer.files].map((file) => ({ file, name: file.name }));
  const found = entries.length ? (await Promise.all(entries.map(filesOf))).flat() : loose;
  send(found);
}

/** All files below an entry, with their paths. */
async function filesOf(entry) {
  const name = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) return [{ file: await new Promise((resolve, reject) => entry.file(resolve, reject)), name }];
  const reader = entry.createReader();
  const children = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)); // 100 at a time
    if (!some.length) break;
    children.push(...some);
  }
  return (await Promise.all(children.map(filesOf))).flat();
}

async function send(files) {
  const archive = wiring.current();
  if (!archive.canWrite) return announce(t("This archive is open for reading only."), true);
  if (!files.length) return announce(t("There are no files in that folder."), true);
  if (uploading) return announce(t("Another upload is under way. Wait for it, or cancel it."), true);
  wiring.goToJobs();
  uploading = { share: 0, files, controller: new AbortController() };
  drawUpload();
  try {
    await archive.upload(files, (share) => ((uploading.share = share), drawUpload()), uploading.controller.signal);
    announce(t("The files are here and are being read. You can ask meanwhile."));
  } catch (problem) {
    if (problem.name === "AbortError") announce(t("The upload was cancelled. Nothing was kept."));
    else wiring.onproblem(problem);
  }
  uploading = null;
  drawUpload();
  return showJobs();
}

function drawUpload() {
  const place = byId("upload");
  place.hidden = !uploading;
  if (!uploading) return;
  const bytes = uploading.files.reduce((sum, { file }) => sum + file.size, 0);
  const percent = Math.round(uploading.share * 100);
  if (!place.firstChild) {
    const cancel = h("button", { type: "button", onclick: () => uploading?.controller.abort() }, t("Cancel"));
    place.replaceChildren(h("p", {}), h("progress", { max: 100, "aria-label": t("Upload") }), cancel);
  }
  place.querySelector("p").textContent = t("Sending {files}, {size}: {percent} %", { files: counted(uploading.files.length, "{count} file", "{count} files"), size: size(bytes), percent });
  place.querySelector("progress").value = percent;
}

/** Start a job that needs no files: "describe" or "sample". */
export async function startJob(what) {
  try {
    await wiring.current().start(what);
    wiring.goToJobs();
    await showJobs();
  } catch (problem) {
    wiring.onproblem(problem);
  }
}

/** List the jobs, and look again as long as one is under way. */
export async function showJobs() {
  clearTimeout(watching);
  const archive = wiring.current();
  byId("bring-writable").hidden = !archive.canWrite;
  byId("describe-writable").hidden = !archive.canWrite;
  byId("bring-read-only").hidden = archive.canWrite;
  const jobs = await archive.jobs();
  listJobs(jobs, archive);
  byId("jobs-heading").hidden = !jobs.length;
  const active = jobs.some((job) => !ENDED.includes(job.state));
  sayWorking(jobs.find((job) => job.state === "running"));
  if (showJobs.wasActive && !active) wiring.onread();
  showJobs.wasActive = active;
  if (active) watching = setTimeout(() => showJobs().catch(wiring.onproblem), EVERY);
}

/** A card for each job; one whose state is the same stays, so that its buttons keep the focus. */
function listJobs(jobs, archive) {
  const known = new Map([...byId("jobs").children].map((card) => [card.dataset.job, card]));
  const cards = jobs.map((job) => {
    const card = known.get(job.id);
    if (card?.dataset.state !== job.state || card.archive !== archive) return Object.assign(jobCard(job, archive), { archive });
    card.querySelector(".progress")?.replaceChildren(...progressOf(job));
    return card;
  });
  const same = cards.length === byId("jobs").children.length && cards.every((card, i) => byId("jobs").children[i] === card);
  if (!same) byId("jobs").replaceChildren(...cards);
}

/** Say beside the question what is being read, since answers come from what is there so far. */
function sayWorking(job) {
  const place = byId("working");
  place.hidden = !job;
  if (!job) return;
  const words = job.progress ? progressWords(job.progress) : t("Starting …");
  place.replaceChildren(`${words}. `, t("You can ask meanwhile: the answer comes from what is there so far."), " ", h("a", { href: wiring.jobsAt() }, t("Jobs")));
}

function progressWords(progress) {
  const words = {
    reading: () => t("Reading: {files}, {memories} so far", { files: counted(progress.files, "{count} file", "{count} files"), memories: counted(progress.memories, "{count} memory", "{count} memories") }),
    encoding: () => t("Making them searchable: {done} of {total}", { done: progress.done, total: progress.total ?? "?" }),
    describing: () => t("Describing: {done} of {total}", { done: progress.done, total: progress.total ?? "?" }),
  };
  return words[progress.stage]();
}

function jobCard(job, archive) {
  const act = (what) => () => what(job.id).then(showJobs, wiring.onproblem);
  const title = job.kind === "describe" ? t("Describing pictures and sounds") : counted(job.files, "Reading {count} file or folder", "Reading {count} files");
  const running = !ENDED.includes(job.state);
  return h(
    "li",
    { class: "card job", "data-job": job.id, "data-state": job.state },
    h(
      "div",
      {},
      h("strong", {}, title),
      h("span", { class: `state ${job.state}` }, ` ${t(STATES[job.state])}`),
      running ? h("div", { class: "progress" }, progressOf(job)) : null,
      job.report ? reportOf(job.report) : null,
      job.described ? describedOf(job.described) : null,
      job.error ? h("p", { class: "bad" }, inWords({ ...job.error, message: job.error.detail })) : null,
      h(
        "div",
        { class: "row" },
        running ? h("button", { type: "button", onclick: act((id) => archive.stopJob(id)) }, t("Cancel")) : null,
        ["interrupted", "stopped", "failed"].includes(job.state) ? h("button", { type: "button", onclick: act((id) => archive.resumeJob(id)) }, t("Go on")) : null,
      ),
    ),
  );
}

function progressOf({ progress, state }) {
  if (!progress) return [h("p", { class: "faint" }, state === "queued" ? t("It starts when the job before it has ended.") : t("Starting …"))];
  const bar = h("progress", { "aria-label": t("Progress") });
  if (progress.total) [bar.max, bar.value] = [progress.total, Math.min(progress.done, progress.total)];
  return [h("p", { class: "faint" }, progressWords(progress)), bar];
}

/** What was read, what was left out, and why. */
function reportOf(report) {
  const sum = (name) => report.sources.reduce((total, source) => total + source[name], 0);
  const read = [
    counted(sum("new"), "{count} new memory", "{count} new memories"),
    sum("updated") ? t("{count} updated", { count: sum("updated") }) : "",
    sum("known") ? t("{count} known already", { count: sum("known") }) : "",
  ];
  const left = Object.values(report.reasons).reduce((a, b) => a + b, 0);
  const source = (each) => h("li", {}, `${each.importer}: ${counted(each.files, "{count} file", "{count} files")}, ${counted(each.new + each.known + each.updated, "{count} memory", "{count} memories")}`);
  return [
    h("p", {}, `${read.filter(Boolean).join(", ")}.`),
    h("ul", { class: "faint" }, report.sources.map(source)),
    left
      ? h(
          "details",
          {},
          h("summary", {}, counted(left, "{count} was left out: why", "{count} were left out: why")),
          h("ul", {}, report.skipped.slice(0, MOST_SKIPPED).map((each) => h("li", {}, h("strong", {}, each.name), `: ${each.reason}`))),
          left > MOST_SKIPPED ? h("p", { class: "faint" }, t("and {count} more", { count: left - MOST_SKIPPED })) : null,
        )
      : null,
  ];
}

function describedOf(done) {
  const stopped = Object.values(done.stopped);
  return [
    h("p", {}, t("New words for {updated} of {memories} memories.", { updated: done.updated, memories: done.memories })),
    stopped.length || done.failed.length ? h("ul", { class: "faint" }, stopped.map((why) => h("li", {}, why)), done.failed.slice(0, MOST_SKIPPED).map((each) => h("li", {}, `${each.name}: ${each.reason}`))) : null,
  ];
}
