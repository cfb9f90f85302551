// The served page: which archive, which view, and the key if the server asks for one.
// Addresses are #/archive/view or #/archive/trace/id.

import { Archive, archives, hasKey, setKey } from "./api.js";
import { clear, setUpAsking, showEarlier } from "./ask.js";
import { browse, listTraces, setSession, setUpBrowsing } from "./browse.js";
import { announce, byId, h, showIn } from "./dom.js";
import { setUpShell } from "./shell.js";

const VIEWS = ["ask", "browse", "traces"];
const opened = new Map();
let names = [];
let zones = new Map();
let onShow = ""; // the trace on show, so that its own address does not load it again

const place = () => {
  const [name, view, id] = location.hash.replace(/^#\//, "").split("/").map(decodeURIComponent);
  return { name: names.includes(name) ? name : names[0], view: view || "ask", id };
};
const address = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

function current() {
  const { name } = place();
  if (!opened.has(name)) opened.set(name, new Archive(name));
  return opened.get(name);
}

function onsession(session) {
  setSession(session);
  const goal = address(place().name, "browse");
  if (location.hash === goal) guarded(route);
  else location.hash = goal;
}

async function route() {
  if (!names.length) return;
  const { name, view, id } = place();
  const shown = view === "trace" ? "ask" : VIEWS.includes(view) ? view : "ask";
  showIn(zones.get(name));
  byId("drawer").close();
  for (const one of VIEWS) {
    byId(`view-${one}`).hidden = one !== shown;
    byId(`nav-${one}`).href = address(name, one);
    byId(`nav-${one}`).toggleAttribute("aria-current", one === shown);
    if (one === shown) byId(`nav-${one}`).setAttribute("aria-current", "page");
  }
  byId("archive").value = name;
  const key = `${name}/${id ?? ""}`;
  if (view === "trace" && id && onShow !== key) {
    onShow = key;
    await showEarlier(await current().trace(id), current(), onsession);
    announce("An earlier question.");
  }
  if (shown === "browse") await browse(current(), onsession);
  if (shown === "traces") await listTraces(current(), (trace) => address(name, "trace", trace));
}

/** Give a question that was asked its address. */
function onasked(trace) {
  if (!trace?.id) return;
  onShow = `${place().name}/${trace.id}`;
  history.pushState(null, "", address(place().name, "trace", trace.id));
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
  if (problem.status === 401) askForKey(hasKey() ? "The server does not accept this key." : "This server requires a key.");
  else announce(problem.message, true);
}

function askForKey(why) {
  byId("key-why").textContent = why;
  byId("key").value = "";
  byId("key-forget").hidden = !hasKey();
  if (!byId("key-dialog").open) byId("key-dialog").showModal();
}

async function start() {
  const found = await archives();
  names = found.map((archive) => archive.name);
  zones = new Map(found.map(({ name, zone }) => [name, zone]));
  const select = byId("archive");
  select.replaceChildren(...found.map(({ name, memories }) => h("option", { value: name }, `${name} (${memories})`)));
  if (!names.length) return announce("There is no archive that you may read.", true);
  await route();
}

setUpShell();
setUpAsking(current, { onsession, onasked, onproblem });
setUpBrowsing(current, { onsession, onproblem });
byId("archive").addEventListener("change", (event) => {
  clear();
  setSession("");
  location.hash = address(event.target.value, place().view === "trace" ? "ask" : place().view);
});
function useKey(key) {
  setKey(key);
  opened.clear(); // with the memories and pictures that another key has opened
  guarded(start);
}

byId("key-form").addEventListener("submit", () => useKey(byId("key").value.trim()));
byId("key-forget").addEventListener("click", () => (byId("key-dialog").close(), clear(), useKey(null)));
byId("key-open").addEventListener("click", () => askForKey("The key is kept only until this tab is closed."));
addEventListener("hashchange", () => guarded(route));
guarded(start);
