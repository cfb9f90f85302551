// The first thing to be seen: what is in the archive, questions that fit it, and the questions of before.

import { byId, cut, dateFormat, day, h, shortPlace, wallClock } from "./dom.js";
import { invitation } from "./invite.js";
import { counted, t } from "./words.js";
import { World } from "./world.js";

const RECENT = 5;
const monthLabel = dateFormat({ month: "short" });
const EVERY = 800; // milliseconds between looks for more questions
const LOOKS = 15;
const CITATION = /\s*\[\d+[^\]]*\]/g;
const NAMES = {
  message: ["{count} message", "{count} messages"],
  email: ["{count} email", "{count} emails"],
  photo: ["{count} photo", "{count} photos"],
  video: ["{count} video", "{count} videos"],
  audio: ["{count} recording", "{count} recordings"],
  document: ["{count} document", "{count} documents"],
  event: ["{count} calendar entry", "{count} calendar entries"],
  contact: ["{count} contact", "{count} contacts"],
  profile: ["{count} profile", "{count} profiles"],
  note: ["{count} note", "{count} notes"],
};
let shown = 0; // counts visits, so that a late reply does not fill a newer one

/** How many there are of each kind, most first: [[kind, text]]. */
export function kindWords(kinds) {
  return Object.entries(kinds)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => [kind, counted(count, ...(NAMES[kind] ?? ["{count} memory", "{count} memories"]))]);
}

/** Fill the start: `link` makes addresses, `ask(text)` asks, `bring` has what an empty archive offers. */
export async function showStart(archive, { link, ask, bring, language, onproblem }) {
  const mine = (shown += 1);
  const place = byId("start");
  const [details, overview, traces] = await Promise.all([archive.details(), archive.overview(), archive.traces(4 * RECENT)]);
  if (mine !== shown) return;
  const working = bring.showJobs().catch(onproblem); // says beside the question what is being read
  if (!overview.memories) {
    await working;
    if (mine !== shown) return;
    place.replaceChildren(...(byId("working").hidden ? [invitation(bring)] : []));
    return;
  }
  const questions = h("ul", { class: "suggestions", "aria-labelledby": "suggestions-heading" });
  const suggested = h("section", { hidden: true, "aria-labelledby": "suggestions-heading" }, h("h2", { id: "suggestions-heading" }, t("Questions that this archive can answer")), questions);
  const before = recent(traces, link);
  place.replaceChildren(summary(details.stats, overview, link), suggested, ...(before ? [before] : []));
  const globe = byId("globe");
  if (globe) new World(globe, () => (location.hash = link("browse", { view: "map" }))).show(overview.places).catch(onproblem);
  const suggestion = (text) => h("li", {}, h("button", { type: "button", class: "suggestion", onclick: () => ask(text) }, text));
  // The server tries them in the background: those that passed are shown as they come.
  for (let look = 0; look < LOOKS && mine === shown && questions.isConnected; look += 1) {
    const { questions: found, complete } = await archive.suggestions(language).catch((problem) => (onproblem(problem), { questions: [], complete: true }));
    if (mine !== shown) return;
    suggested.hidden = !found.length;
    const known = [...questions.children].map((entry) => entry.textContent);
    questions.append(...found.filter((text) => !known.includes(text)).map(suggestion));
    if (complete) return;
    await new Promise((resolve) => setTimeout(resolve, EVERY));
  }
}

function summary(stats, overview, link) {
  const span = stats.first && [wallClock(stats.first), wallClock(stats.last)];
  const kinds = kindWords(stats.kinds).map(([kind, words]) => h("li", {}, h("a", { href: link("browse", { kind }) }, words)));
  return h(
    "section",
    { class: "panel summary", "aria-labelledby": "archive-heading" },
    h(
      "div",
      { class: "glance" },
      h("h2", { id: "archive-heading" }, t("What is in this archive")),
      h("ul", { class: "facts" }, kinds),
      span ? h("p", { class: "faint" }, t("From {first} to {last}.", { first: day(span[0]), last: day(span[1]) }), " ", people(overview)) : null,
      months(overview, link),
    ),
    overview.places.length ? h("div", { id: "globe" }) : null,
  );
}

function people({ people: known, places }) {
  const named = [...new Set(places.filter((place) => place.name).sort((a, b) => b.memories - a.memories).map((place) => shortPlace(place.name)))].slice(0, 4);
  const who = known.slice(0, 4).map((person) => person.name);
  return [who.length ? t("With {names}.", { names: who.join(", ") }) : "", named.length ? t("In {names}.", { names: named.join(", ") }) : ""].filter(Boolean).join(" ");
}

/** A bar for each month, or for each year if there are too many; each leads to its time. */
function months({ months: known }, link) {
  if (known.length < 2) return null;
  const sums = known.map(({ month, kinds }) => [month, Object.values(kinds).reduce((a, b) => a + b, 0)]);
  const byYear = new Map();
  if (sums.length > 48) sums.forEach(([month, count]) => byYear.set(month.slice(0, 4), (byYear.get(month.slice(0, 4)) ?? 0) + count));
  const bars = byYear.size ? [...byYear] : sums;
  const most = Math.max(...bars.map(([, count]) => count));
  const bar = ([time, count]) => {
    const level = h("span", { class: "level" });
    level.style.height = `${Math.max(4, (count / most) * 100)}%`;
    const label = `${time}: ${counted(count, "{count} memory", "{count} memories")}`;
    return h("a", { href: link("browse", { view: "time", at: time }), title: label, "aria-label": label }, level);
  };
  const every = Math.ceil(bars.length / 14); // more names would cover each other
  const name = (time) => (time.length === 4 ? time : monthLabel(new Date(`${time}-15T00:00:00Z`)));
  const entry = (each, i) => h("li", {}, bar(each), h("span", { class: "faint", "aria-hidden": "true" }, i % every ? "" : name(each[0])));
  return h("ol", { class: "months", "aria-label": byYear.size ? t("Memories by year") : t("Memories by month") }, bars.map(entry));
}

/** The latest questions, each once. */
function recent(traces, link) {
  if (!traces.length) return null;
  const latest = new Map();
  for (const trace of traces) if (!latest.has(trace.question)) latest.set(trace.question, trace);
  const answerOf = ({ answer }) => answer && h("span", { class: "faint" }, ` ${cut(answer.replace(CITATION, ""), 90)}`);
  const line = (trace) => h("li", {}, h("a", { href: link("trace", trace.id) }, trace.question || t("A picture")), answerOf(trace));
  return h("section", { "aria-labelledby": "recent-heading" }, h("h2", { id: "recent-heading" }, t("Asked before")), h("ul", { class: "recent" }, [...latest.values()].slice(0, RECENT).map(line)));
}
