// The question: text, a picture (chosen, dropped or pasted), and the answer as it streams in.

import { announce, byId, day, dayAndTime, h } from "./dom.js";
import { openMemory } from "./memory.js";
import { chosenIds, evidenceOf } from "./model.js";
import { showAnswer, showEvidence } from "./result.js";

const MOST_BYTES = 11e6; // as base64 it has to fit the largest body that the server takes, 16 MiB
let picture = null; // {data, mime} of the question
let running = null; // the AbortController of the question under way
let turn = 0; // counts what was put on show, so that a late reply does not cover a newer one

/** Wire up the form; `current()` returns the archive, `onsession(name)` shows a session. */
export function setUpAsking(current, { onsession, onasked, onproblem }) {
  const form = byId("ask-form");
  const file = byId("picture");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(current(), onsession).then(onasked, (problem) => {
      if (problem.name !== "AbortError") onproblem(problem);
      else if (byId("stop").hidden) announce("Stopped.");
      byId("answer").removeAttribute("aria-busy");
    });
  });
  byId("question").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  byId("stop").addEventListener("click", () => running?.abort());
  byId("choose-picture").addEventListener("click", () => file.click());
  byId("drop-picture").addEventListener("click", () => takePicture(null));
  file.addEventListener("change", () => takePicture(file.files[0] ?? null));
  form.addEventListener("paste", (event) => takeFrom(event, event.clipboardData));
  form.addEventListener("dragover", (event) => (event.preventDefault(), form.classList.add("over")));
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    form.classList.remove("over");
    takeFrom(event, event.dataTransfer);
    event.preventDefault(); // a file that is no picture must not replace the page
  });
}

function takeFrom(event, transfer) {
  const found = [...transfer.files].find((one) => one.type.startsWith("image/"));
  if (!found && transfer.files.length) announce("Only pictures can be part of a question.", true);
  if (!found) return;
  event.preventDefault();
  takePicture(found);
}

async function takePicture(file) {
  const shown = byId("picture-shown");
  URL.revokeObjectURL(shown.src);
  picture = null;
  if (!file) byId("picture").value = "";
  const fits = file && file.size <= MOST_BYTES;
  byId("picture-box").hidden = !fits;
  if (!fits) shown.removeAttribute("src");
  if (!fits) return file && announce("The picture is larger than 11 MB.", true);
  shown.src = URL.createObjectURL(file);
  shown.alt = `Picture of the question: ${file.name}`;
  picture = { data: base64(new Uint8Array(await file.arrayBuffer())), mime: file.type };
  return announce(`Picture ${file.name} is part of the question.`);
}

function base64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

function asked() {
  const question = { text: byId("question").value.trim(), images: picture ? [picture] : [] };
  const asOf = byId("as-of").value;
  if (asOf) question.as_of = new Date(`${asOf}T23:59:59`).toISOString();
  return question;
}

async function ask(archive, onsession) {
  const question = asked();
  if (!question.text && !picture) return announce("Write a question, or add a picture.", true);
  running?.abort();
  const mine = (running = new AbortController());
  const now = clear();
  byId("stop").hidden = false;
  announce("Asking …");
  const words = h("p", { class: "answer-text" });
  byId("answer").replaceChildren(words);
  byId("answer").setAttribute("aria-busy", "true"); // read out once, when it is whole
  byId("answer-panel").hidden = false;
  try {
    const reply = await archive.ask(
      question,
      { stage: ({ stage }) => announce(`Under way: ${stage} …`), piece: ({ text }) => words.append(text) },
      mine.signal,
    );
    if (!(await show(reply, archive, onsession, now))) return null;
    announce("Answered.", false, false);
    return reply.trace;
  } finally {
    if (running === mine) byId("stop").hidden = true;
  }
}

/** Empty the result, so that nothing of an earlier question stays beside a new one; returns the turn. */
export function clear() {
  turn += 1;
  byId("evidence").replaceChildren();
  byId("answer").replaceChildren();
  byId("answer-panel").hidden = true;
  byId("asked").hidden = true;
  return turn;
}

/** Show a trace with its explanations; returns whether it was still wanted when all was there. */
async function show(reply, archive, onsession, now) {
  const evidence = evidenceOf(reply, await archive.memories(chosenIds(reply)));
  if (now !== turn) return false;
  byId("answer-panel").hidden = false;
  showAnswer(byId("answer"), evidence, (id) => openMemory(id, archive, { evidence, onsession }));
  byId("answer").removeAttribute("aria-busy");
  showEvidence(byId("evidence"), evidence, archive, { onsession });
  return true;
}

/** The day that a clock here shows, as in a date field: what `asked` made a moment of. */
function localDay(date) {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** Show an earlier question. */
export async function showEarlier(reply, archive, onsession) {
  const now = clear();
  const { question, created_at: created } = reply.trace;
  const asOf = question.as_of && localDay(new Date(question.as_of));
  byId("question").value = question.text;
  byId("as-of").value = asOf ?? "";
  byId("asked").hidden = false;
  byId("asked").textContent = [
    `Asked ${created ? dayAndTime(new Date(created)) : "earlier"}`,
    question.images.length ? ", with a picture" : "",
    asOf ? `, as of ${day(new Date(asOf))}` : "",
    ".",
  ].join("");
  await show(reply, archive, onsession, now);
}
