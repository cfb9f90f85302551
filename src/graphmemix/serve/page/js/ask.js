// The question, the answer as it streams in, and the questions before it in the same thread.

import { announce, byId, day, dayAndTime, h } from "./dom.js";
import { Filters } from "./filters.js";
import { openMemory } from "./memory.js";
import { chosenIds, evidenceOf, withoutCitations } from "./model.js";
import { picturesAsked, setUpPicture } from "./picture.js";
import { showAnswer, showEvidence } from "./result.js";
import { sharing } from "./share.js";
import { t } from "./words.js";

const MOST_TURNS = 6; // of a thread that go along with a question
const LONGEST_TURN = 1500; // characters
const STAGES = { retrieve: "Searching …", verify: "Judging what was found …", optimize: "Choosing …", read: "Answering …" };
let running = null; // the AbortController of the question under way
let turn = 0; // counts what was put on show, so that a late reply does not cover a newer one
let thread = []; // [{question, answer, id}], oldest first; the last is on show
let filters = null;
let models = []; // of the archive's server that a question may be asked with
let wiring = null;

/** Wire up the form; `current()` returns the archive, `onsession(name)` shows a session. */
export function setUpAsking(current, handlers) {
  wiring = { current, ...handlers };
  filters = new Filters(byId("ask-filters"), "ask", () => {}, { asOf: true });
  setUpPicture(current);
  byId("ask-form").addEventListener("submit", (event) => {
    event.preventDefault();
    thread = [];
    submit();
  });
  byId("follow-up").addEventListener("click", () => submit());
  byId("question").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      byId("ask-form").requestSubmit();
    }
  });
  byId("stop").addEventListener("click", () => running?.abort());
}

/** Offer the kinds, people and places of an archive as filters. */
export const offerFilters = (overview) => filters.offer(overview);

/** Offer the models that a question may be asked again with. */
export function offerModels(names) {
  models = names;
}

/** Ask the question on show once more, in the same thread, with another model; empty for none. */
function again(model) {
  byId("question").value = thread.pop()?.question ?? byId("question").value;
  submit(model);
}

function submit(model = null) {
  const { current, onsession, onasked, onproblem } = wiring;
  ask(current(), onsession, model).then(onasked, (problem) => {
    if (problem.name !== "AbortError") onproblem(problem);
    else if (byId("stop").hidden) announce(t("Stopped."));
    byId("answer").removeAttribute("aria-busy");
  });
}

/** Ask this, in a thread of its own. */
export function askThis(text) {
  byId("question").value = text;
  byId("ask-form").requestSubmit();
}

function asked() {
  const history = thread.slice(-MOST_TURNS).flatMap(({ question, answer }) => [
    { role: "user", text: question.slice(0, LONGEST_TURN) },
    ...(answer ? [{ role: "assistant", text: answer.slice(0, LONGEST_TURN) }] : []),
  ]);
  const question = { text: byId("question").value.trim(), images: picturesAsked(), history };
  if (filters.asOf) question.as_of = filters.asOf;
  return question;
}

async function ask(archive, onsession, model) {
  const question = asked();
  if (!question.text && !question.images.length) return announce(t("Write a question, or add a picture."), true);
  running?.abort();
  const mine = (running = new AbortController());
  const now = emptyResult();
  showThread();
  byId("start").hidden = true;
  byId("ask-form").classList.add("asked");
  byId("stop").hidden = false;
  announce(t("Asking …"));
  const words = h("p", { class: "answer-text" });
  let said = "";
  byId("answer").replaceChildren(words);
  byId("answer").setAttribute("aria-busy", "true"); // read out once, when it is whole
  byId("answer-panel").hidden = false;
  try {
    const on = { stage: ({ stage }) => announce(t(STAGES[stage] ?? "Asking …")), piece: ({ text }) => (words.textContent = withoutCitations((said += text))) };
    const reply = await archive.ask(question, filters.filter, on, mine.signal, model);
    if (!(await show(reply, archive, onsession, now))) return null;
    announce(t("Answered."), false, false);
    thread.push({ question: question.text, answer: reply.trace.answer?.text ?? "", id: reply.trace.id });
    showThread();
    byId("question").select();
    return reply.trace;
  } finally {
    if (running === mine) byId("stop").hidden = true;
  }
}

/** Empty the result, so that nothing of an earlier question stays beside a new one; returns the turn. */
function emptyResult() {
  turn += 1;
  for (const id of ["evidence", "answer", "share"]) byId(id).replaceChildren();
  byId("answer-panel").hidden = true;
  byId("asked").hidden = true;
  return turn;
}

/** Leave the thread: the next question stands alone. */
export function newThread() {
  running?.abort();
  emptyResult();
  thread = [];
  showThread();
  filters.clear();
  byId("ask-form").classList.remove("asked");
  byId("question").value = "";
}

/** The questions before the one on show. A follow-up is asked in their context, any other question starts anew. */
function showThread() {
  const before = thread.slice(0, -1);
  byId("thread-box").hidden = !before.length;
  const line = ({ question, id }) => h("li", {}, id ? h("a", { href: wiring.link("trace", id) }, question) : question);
  byId("thread").replaceChildren(...before.map(line));
  byId("follow-up").hidden = !thread.length;
}

/** Show a trace with its explanations; returns whether it was still wanted when all was there. */
async function show(reply, archive, onsession, now) {
  const evidence = evidenceOf(reply, await archive.memories(chosenIds(reply)));
  if (now !== turn) return false;
  const { onchanged } = wiring;
  byId("answer-panel").hidden = false;
  showAnswer(byId("answer"), evidence, (id) => openMemory(id, archive, { evidence, onsession, onchanged }));
  byId("share").replaceChildren(sharing(evidence, archive, models, again));
  byId("answer").removeAttribute("aria-busy");
  showEvidence(byId("evidence"), evidence, archive, { onsession, onchanged });
  return true;
}

/** The day that a clock here shows, as in a date field: what a filter made a moment of. */
function localDay(date) {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** Show an earlier question, with the thread that it belongs to. */
export async function showEarlier(reply, archive, onsession) {
  const now = emptyResult();
  const { question, created_at: created, answer, id } = reply.trace;
  const asOf = question.as_of && localDay(new Date(question.as_of));
  thread = threadOf(question.history);
  thread.push({ question: question.text, answer: answer?.text ?? "", id });
  showThread();
  byId("start").hidden = true;
  byId("ask-form").classList.add("asked");
  byId("question").value = question.text;
  filters.set("as_of", asOf ?? "", { silent: true });
  byId("asked").hidden = false;
  byId("asked").textContent = [
    created ? t("Asked {when}", { when: dayAndTime(new Date(created)) }) : t("Asked earlier"),
    question.images.length ? t(", with a picture") : "",
    asOf ? t(", as of {day}", { day: day(new Date(asOf)) }) : "",
    ".",
  ].join("");
  await show(reply, archive, onsession, now);
}

/** Turns of a history as a thread. */
function threadOf(history) {
  const found = [];
  for (const { role, text } of history) {
    if (role === "user") found.push({ question: text, answer: "", id: "" });
    else if (found.length) found.at(-1).answer = text;
  }
  return found;
}
