// The archive to look through: photos by day, everything by day, a map, and search by words; with filters for all of them.

import { announce, byId, cut, dayAndTime, h } from "./dom.js";
import { Filters } from "./filters.js";
import { gridHeight, line, listDays, listHeight, photoDays } from "./gallery.js";
import { openMemory } from "./memory.js";
import { Sections, monthBounds } from "./sections.js";
import { counted, t } from "./words.js";
import { World } from "./world.js";

const VIEWS = ["photos", "time", "map"];
const PAGE = 500;
let filters = null;
let sections = null;
let world = null;
let view = "photos";
let offered = ""; // the archive whose kinds, people and places are offered
let latest = 0; // counts requests, so that a late reply does not cover a newer one
let opening = null; // opens a memory of the archive on show

/** Wire up the view; `current()` returns the archive. */
export function setUpBrowsing(current, { onsession, onproblem, onchanged }) {
  const again = () => browse(current()).catch(onproblem);
  opening = (id) => openMemory(id, current(), { onsession, onchanged });
  filters = new Filters(byId("browse-filters"), "browse", again);
  sections = new Sections(byId("months"), byId("scrubber"), {
    fill: (month, body, isWanted) => fillMonth(current(), month, body, isWanted),
    guess: (count) => (view === "photos" ? gridHeight(count) : listHeight(count)),
    onproblem,
  });
  world = new World(byId("world"), (place) => filters.set("place", place));
  byId("browse-form").addEventListener("submit", (event) => (event.preventDefault(), again()));
  byId("words").addEventListener("input", (event) => event.target.value || again());
  VIEWS.forEach((name) => byId(`show-${name}`).addEventListener("click", () => ((view = name), again())));
}

/** Show what an address asks for: a kind, a session, a view, a time; undefined leaves everything as it is. */
export function aim(wanted) {
  if (!wanted) return;
  filters.clear();
  byId("words").value = "";
  for (const key of ["kind", "session"]) if (wanted[key]) filters.set(key, wanted[key], { silent: true });
  const pictures = !wanted.kind || ["photo", "video"].includes(wanted.kind);
  view = VIEWS.includes(wanted.view) ? wanted.view : wanted.session || !pictures ? "time" : "photos";
}

/** Fill the view by what the form says; `at` is the month to begin with. */
export async function browse(archive, at = "") {
  const mine = (latest += 1);
  if (offered !== archive.name) await offer(archive);
  VIEWS.forEach((name) => byId(`show-${name}`).setAttribute("aria-pressed", String(name === view)));
  const text = byId("words").value.trim();
  byId("found").hidden = !text;
  byId("by-month").hidden = Boolean(text);
  byId("world").hidden = view !== "map" || Boolean(text);
  if (text) return search(archive, text, mine);
  const overview = await archive.overview(queryOf());
  if (mine !== latest) return null;
  if (view === "map") await world.show(overview.places);
  const sum = (kinds) => Object.values(kinds).reduce((a, b) => a + b, 0);
  sections.show(overview.months.map(({ month, kinds }) => ({ month, count: sum(kinds) })));
  byId("scrubber-box").hidden = overview.months.length < 2;
  showUndated(archive, overview);
  const words = view === "photos" ? ["{count} photo or video", "{count} photos and videos"] : ["{count} memory", "{count} memories"];
  const found = view === "map" && !overview.places.length ? t("No memory has coordinates.") : counted(overview.memories, ...words);
  announce(overview.memories ? found : t("No memory matches."));
  if (at) sections.goTo(at);
  return null;
}

async function offer(archive) {
  const [{ stats }, overview] = await Promise.all([archive.details(), archive.overview()]);
  filters.offer({ kinds: Object.keys(stats.kinds), ...overview });
  offered = archive.name;
}

/** Forget what was offered: the archive has changed. */
export function forgetOffers() {
  offered = "";
}

function queryOf() {
  const { query } = filters;
  if (view === "photos") ["image", "video"].forEach((modality) => query.append("modality", modality));
  // Pages of documents are pictures too, and are not looked for here.
  if (view === "photos" && !query.has("kind")) ["photo", "video", "message", "email", "note"].forEach((kind) => query.append("kind", kind));
  return query;
}

async function search(archive, text, mine) {
  const hits = await archive.search(text, filters.filter, 100);
  if (mine !== latest) return;
  byId("found").replaceChildren(...hits.map(({ memory }) => line(memory, archive, opening, { dated: true })));
  announce(hits.length ? counted(hits.length, "{count} memory found.", "{count} memories found.") : t("No memory matches."));
}

async function fillMonth(archive, month, body, isWanted) {
  const { since, until } = monthBounds(month);
  const query = queryOf();
  // The narrower of the month and of what the filter says.
  const moment = (name) => (query.has(name) ? Date.parse(query.get(name)) : null);
  if (moment("since") === null || moment("since") < Date.parse(since)) query.set("since", since);
  if (moment("until") === null || moment("until") > Date.parse(until)) query.set("until", until);
  const memories = await everything(archive, query, isWanted);
  if (!isWanted()) return;
  body.replaceChildren(...(view === "photos" ? photoDays : listDays)(memories, archive, opening));
}

async function everything(archive, query, isWanted) {
  query.set("limit", PAGE);
  const found = [];
  for (let next = ""; next !== null && isWanted(); ) {
    if (next) query.set("after", next);
    const page = await archive.list(query);
    found.push(...page.memories);
    next = page.next;
  }
  return found;
}

/** Those without a date, below the months: a list has them behind the last one with a date. */
function showUndated(archive, { undated, months }) {
  const place = byId("undated");
  place.hidden = !undated;
  const show = async () => {
    const dated = queryOf();
    if (months.length) dated.set("since", monthBounds(months.at(-1).month).since);
    const last = months.length ? (await everything(archive, dated, () => true)).filter((memory) => memory.timestamp).at(-1) : null;
    const query = queryOf();
    query.set("limit", PAGE);
    if (last) query.set("after", last.id);
    const { memories } = await archive.list(query);
    place.replaceChildren(h("ul", { class: "lines" }, memories.map((memory) => line(memory, archive, opening))));
  };
  place.replaceChildren(h("button", { type: "button", onclick: show }, counted(undated, "{count} memory without a date", "{count} memories without a date")));
}

/** List the questions of before. */
export async function listTraces(archive, link) {
  const traces = await archive.traces(100);
  byId("traces").replaceChildren(
    ...traces.map((trace) =>
      h(
        "li",
        { class: "card" },
        h(
          "div",
          {},
          h("a", { href: link(trace.id) }, trace.question || t("A picture")),
          h("div", { class: "faint" }, `${dayAndTime(new Date(trace.created_at))} · ${counted(trace.memory_ids.length, "{count} memory", "{count} memories")}`),
          trace.answer ? h("p", {}, cut(trace.answer, 220)) : h("p", { class: "faint" }, t("Evidence only.")),
        ),
      ),
    ),
  );
  announce(traces.length ? counted(traces.length, "{count} earlier question.", "{count} earlier questions.") : t("No questions yet."));
}
