// What became of a question: the answer, its evidence as cards, the forest, and how it was found.

import { evidenceCard } from "./cards.js";
import { h, shortOriginOf, titleOf } from "./dom.js";
import { drawForest } from "./graph.js";
import { howFound, redrawOn } from "./how.js";
import { openMemory } from "./memory.js";
import { citedParts } from "./model.js";
import { whyThese } from "./phrases.js";
import { t } from "./words.js";

const FIRST_CARDS = 8; // as many as two rows take on a wide screen
const UNDERSTOOD = /^(time|place|person|media): /; // what was read from the question is told with how it was found

/** Show an answer that is complete, its citations as buttons. */
export function showAnswer(place, evidence, open) {
  const { trace, ranks } = evidence;
  const { answer } = trace;
  const citation = (rank) => {
    const item = evidence.items.get(ranks.get(rank));
    const [title, number] = [titleOf(item?.memory, item?.id), item?.number ?? rank];
    return h("button", { class: "cite", type: "button", title, "aria-label": t("Citation {rank}: {title}", { rank: number, title }), onclick: () => open(ranks.get(rank)) }, `[${number}]`);
  };
  // A quotation says where it is from and of when: that is often the answer.
  const origin = (part) => part.isTold && h("span", { class: "faint" }, ` ${part.ranks.map((rank) => shortOriginOf(evidence.items.get(ranks.get(rank))?.memory)).join("; ")}`);
  const parts = answer ? citedParts(answer.text, ranks).map((part) => (part.ranks ? [part.ranks.map(citation), origin(part)] : part.text)) : [t("Evidence only: no answer was requested.")];
  place.replaceChildren(h("p", { class: "answer-text" }, parts), answerNotes(evidence));
}

function answerNotes({ trace, holds }) {
  const { answer } = trace;
  const lines = [
    holds && chance(holds, trace.answerable ?? answer?.answerable),
    answer && answer.citations.length > 0 && (answer.extractive ? t("Quoted from memories, word for word.") : trace.reader && t("Written by {model}.", { model: trace.reader })),
    ...trace.notes.filter((note) => !UNDERSTOOD.test(note)),
    ...Object.entries(trace.repairs).map(([what, count]) => t("Repaired in a model's reply: {what}, {count} times.", { what, count })),
  ];
  return h("ul", { class: "notes" }, lines.filter(Boolean).map((note) => h("li", {}, note)));
}

/** The chance in words; opened, as a number. */
function chance(holds, answerable) {
  const words = t(`${holds[0].toUpperCase()}${holds.slice(1)}.`);
  return h("details", { class: "chance" }, h("summary", {}, words), t("Calibrated chance: {percent} %.", { percent: Math.round(answerable * 100) }));
}

/** Show everything but the answer: cards in its order, the forest of what was chosen, and how it was found. */
export function showEvidence(place, evidence, host, { onsession = null, onchanged = null } = {}) {
  const open = (id, known = evidence) => openMemory(id, host, { evidence: known, onsession, onchanged });
  if (!evidence.chosen.length) {
    const none = evidence.trace.candidates.length ? t("No memory was good enough to answer with.") : t("Nothing in the archive comes near this question. Ask in other words, or take filters off.");
    place.replaceChildren(h("p", { class: "panel" }, none), howFound(evidence, host, open));
    return;
  }
  const canvas = h("div", { class: "canvas" });
  place.replaceChildren(
    cards(evidence, host, open),
    h(
      "section",
      { "aria-labelledby": "together-heading", class: "panel" },
      h("h2", { id: "together-heading" }, t("How it belongs together")),
      h("p", { class: "why-these" }, whyThese(evidence)),
      canvas,
    ),
    howFound(evidence, host, open),
  );
  const draw = () => drawForest(canvas, evidence, { fates: ["chosen"], numbers: false, host, open });
  draw();
  redrawOn(canvas, draw);
}

function cards(evidence, host, open) {
  const { chosen } = evidence;
  const shown = Math.max(FIRST_CARDS, chosen.filter((item) => item.isCited).length);
  const card = (item) => evidenceCard(item, evidence, host, open);
  const list = h("ul", { class: "cards evidence-cards", "aria-labelledby": "evidence-heading" }, chosen.slice(0, shown).map(card));
  const more = h("button", { type: "button", id: "all-evidence", onclick: () => (more.remove(), list.append(...chosen.slice(shown).map(card))) }, t("Show all {count}", { count: chosen.length }));
  const heading = h("div", { class: "heading" }, h("h2", { id: "evidence-heading" }, t("Evidence")), chosen.length > shown ? more : null);
  return h("section", { "aria-labelledby": "evidence-heading" }, heading, list);
}
