// The served page: which archive, which view, and the key if the server asks for one.
// Addresses are #/archive/view, #/archive/browse?kind=photo or #/archive/trace/id.

import { Archive, archives, hasKey, keys, setKey } from "./api.js";
import { askThis, newThread, offerFilters, offerModels, setUpAsking, showEarlier } from "./ask.js";
import { dropZone, setUpBringing, showJobs, startJob } from "./bring.js";
import { aim, browse, forgetOffers, listTraces, setUpBrowsing } from "./browse.js";
import { announce, byId, h, showIn } from "./dom.js";
import { LANGUAGES, language, loadLanguage, setLanguage } from "./language.js";
import { pictureIsSeen } from "./picture.js";
import { inWords } from "./problems.js";
import { showSettings } from "./settings.js";
import { setUpShell } from "./shell.js";
import { showStart } from "./start.js";
import { t } from "./words.js";

const VIEWS = ["ask", "browse", "bring", "traces", "settings"];
const opened = new Map();
let known = []; // the archives, as the server lists them
let onShow = ""; // the trace on show, so that its own address does not load it again

function place() {
  const [path, parameters] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, view, id] = path.split("/").map(decodeURIComponent);
  return { name: name || known[0]?.name, view: view || "ask", id, parameters };
}

/** An address: link("trace", id) or link("browse", {kind: "photo"}). */
function link(view, more) {
  const parts = [place().name, view, ...(typeof more === "string" ? [more] : [])].map(encodeURIComponent);
  return `#/${parts.join("/")}${more && typeof more === "object" ? `?${new URLSearchParams(more)}` : ""}`;
}

function current() {
  const { name } = place();
  if (!opened.has(name)) {
    const { writable, scope } = known.find((archive) => archive.name === name) ?? {};
    opened.set(name, Object.assign(new Archive(name), { canWrite: Boolean(writable) && scope !== "read" }));
  }
  return opened.get(name);
}

function onsession(session) {
  location.hash = link("browse", { session });
}

async function route() {
  if (!known.length) return;
  const { name, view, id, parameters } = place();
  showIn(known.find((archive) => archive.name === name)?.zone);
  byId("drawer").close();
  if (!known.some((archive) => archive.name === name)) {
    lost(t("There is no archive “{name}” here, or your key may not read it. Choose another one at the top.", { name }));
    return;
  }
  const shown = view === "trace" ? "ask" : view;
  if (!VIEWS.includes(shown)) {
    lost(t("There is nothing at this address."));
    return;
  }
  showView(shown);
  byId("archive").value = name;
  announce("");
  const at = new URLSearchParams(parameters);
  if (shown === "ask") await showAsk(name, view, id);
  if (shown === "browse") await (aim(parameters === undefined ? undefined : Object.fromEntries(at)), browse(current(), at.get("at") ?? ""));
  if (shown === "bring") await showJobs();
  if (shown === "traces") await listTraces(current(), (trace) => link("trace", trace));
  if (shown === "settings") await showSettings(current(), { hasKey: hasKey(), forgetKey, keys, archives: known, jobsAt: link("bring"), languages: LANGUAGES, language: language(), setLanguage });
}

function showView(shown) {
  for (const one of VIEWS) {
    byId(`view-${one}`).hidden = one !== shown;
    byId(`nav-${one}`).href = link(one);
    if (one === shown) byId(`nav-${one}`).setAttribute("aria-current", "page");
    else byId(`nav-${one}`).removeAttribute("aria-current");
  }
}

function lost(message) {
  VIEWS.forEach((one) => (byId(`view-${one}`).hidden = true));
  announce(message, true);
}

async function showAsk(name, view, id) {
  const key = `${name}/${id ?? ""}`;
  offer().catch(onproblem);
  if (view === "trace" && id) {
    if (onShow === key) return;
    onShow = key;
    try {
      await showEarlier(await current().trace(id), current(), onsession);
      announce(t("An earlier question."), false, false);
    } catch (problem) {
      if (problem.status !== 404) throw problem;
      lost(t("There is no question with this address. It may have been erased with a memory that it cited."));
    }
  } else {
    onShow = "";
    newThread();
    byId("start").hidden = false;
    await start();
  }
}

const start = () => showStart(current(), { link, ask: askThis, language: language(), onproblem, bring: { canWrite: current().canWrite, dropZone, trySample: () => startJob("sample"), showJobs } });

async function offer() {
  const [{ stats, sees_images: seen, models }, overview] = await Promise.all([current().details(), current().overview()]);
  offerFilters({ kinds: Object.keys(stats.kinds), ...overview });
  offerModels(models);
  pictureIsSeen(seen);
}

/** Give a question that was asked its address. */
function onasked(trace) {
  if (!trace?.id) return;
  onShow = `${place().name}/${trace.id}`;
  history.pushState(null, "", link("trace", trace.id));
}

/** The archive has changed: read again what is on show. */
async function onchanged(message = "") {
  forgetOffers();
  opened.delete(place().name);
  await listArchives();
  if (place().view === "browse") await browse(current());
  if (place().view === "ask" && !byId("start").hidden) await start();
  if (message) announce(message);
}

/** Run something; show a problem, and ask for a missing key. */
async function guarded(work) {
  try {
    await work();
  } catch (problem) {
    onproblem(problem);
  }
}

function onproblem(problem) {
  if (problem.status === 401) askForKey(t(hasKey() ? "The server does not accept this key." : "This server requires a key."));
  else announce(inWords(problem), true);
}

function askForKey(why) {
  byId("key-why").textContent = why;
  byId("key").value = "";
  if (!byId("key-dialog").open) byId("key-dialog").showModal();
}

function useKey(key) {
  setKey(key);
  opened.clear(); // with the memories and pictures that another key has opened
  guarded(open);
}

function forgetKey() {
  newThread();
  useKey(null);
}

async function listArchives() {
  known = await archives();
  const select = byId("archive");
  select.replaceChildren(...known.map(({ name, memories }) => h("option", { value: name }, `${name} (${memories})`)));
  select.value = place().name;
}

async function open() {
  await listArchives();
  if (!known.length) return announce(t("There is no archive that you may read."), true);
  await route();
}

await loadLanguage();
setUpShell();
setUpAsking(current, { onsession, onasked, onproblem, onchanged, link });
setUpBrowsing(current, { onsession, onproblem, onchanged });
setUpBringing(current, {
  onproblem,
  onread: () => guarded(() => onchanged(t("Everything is read. Ask something, or look around."))),
  jobsAt: () => link("bring"),
  goToJobs: () => place().view !== "bring" && (location.hash = link("bring")),
});
byId("archive").addEventListener("change", (event) => {
  const { view } = place();
  aim({}); // filters of the other archive
  location.hash = `#/${encodeURIComponent(event.target.value)}/${view === "trace" ? "ask" : view}`;
});
byId("key-form").addEventListener("submit", () => useKey(byId("key").value.trim()));
addEventListener("hashchange", () => guarded(route));
guarded(open);
