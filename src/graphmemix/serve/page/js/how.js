// How the evidence was found, for those who want to know: all candidates, numbers, when and where, costs. Filled when opened.

import { duration, h, number, originOf, signed, titleOf } from "./dom.js";
import { drawForest, listForest } from "./graph.js";
import { withLinks } from "./memory.js";
import { FATES, evidenceOf, idsOf } from "./model.js";
import { map, timeline } from "./plots.js";
import { t } from "./words.js";

const LEVELS = { chosen: ["chosen"], proposed: ["chosen", "refined_away"], all: ["chosen", "refined_away", "rejected"] };

/** A closed section; what is in it is read and drawn when it is opened. */
export function howFound(evidence, host, open) {
  const body = h("div", { class: "how-body" });
  const section = h("details", { id: "how", class: "panel" }, h("summary", {}, h("h2", {}, t("How this was found"))), body);
  let filled = false;
  section.addEventListener("toggle", async () => {
    if (!section.open || filled) return;
    filled = true;
    body.replaceChildren(h("p", { class: "faint" }, t("Reading the candidates …")));
    const whole = evidenceOf(evidence, await host.memories(idsOf(evidence)));
    body.replaceChildren();
    fillHow(body, whole, host, (id) => open(id, whole));
  });
  return section;
}

function fillHow(body, evidence, host, open) {
  const canvas = h("div", { class: "canvas" });
  const list = h("div", {});
  const plots = h("div", { class: "plots" });
  const level = select("graph-level", { chosen: t("Chosen"), proposed: t("Chosen and proposed"), all: t("All candidates") }, "proposed");
  const { forest, notes } = evidence.trace;
  const draw = () => {
    drawForest(canvas, evidence, { fates: LEVELS[level.value], numbers: true, host, open });
    plots.replaceChildren(...drawPlots(evidence, plots.clientWidth, open));
  };
  const change = () => {
    draw();
    list.replaceChildren(listForest(evidence, LEVELS[level.value], open));
  };
  level.addEventListener("change", change);
  body.append(
    notes.length ? h("ul", { class: "notes" }, notes.map((note) => h("li", {}, note))) : "",
    h(
      "section",
      { "aria-labelledby": "forest-heading" },
      h("div", { class: "heading" }, h("h3", { id: "forest-heading" }, t("Evidence forest with numbers")), h("label", {}, t("Show"), " ", level)),
      canvas,
      forest && h("p", { class: "faint" }, worth(forest)),
      h("details", {}, h("summary", {}, t("The forest as a list")), list),
    ),
    plots,
    candidates(evidence, open),
    costs(evidence.trace),
  );
  change();
  redrawOn(body, draw);
}

/** Call `draw` whenever the width of an element changes, as long as it is in the document. */
export function redrawOn(element, draw) {
  let width = element.clientWidth;
  const watching = new ResizeObserver(() => {
    if (!element.isConnected) return watching.disconnect();
    if (element.clientWidth && element.clientWidth !== width) draw();
    width = element.clientWidth || width;
    return null;
  });
  watching.observe(element);
}

function worth(forest) {
  const worthOf = { objective: number(forest.objective, 3), count: forest.proposal.length, after: number(forest.objective_after, 3), before: number(forest.objective_before, 3) };
  const first = t("Objective {objective}; proposal of {count}: {after}, against {before} for the most useful one by one.", worthOf);
  const method = t(forest.proven_optimal ? "Method {method}, proven optimal." : "Method {method}, not proven optimal.", { method: forest.method });
  return [first, method, ...terms(forest)].join(" ");
}

function terms({ terms: on }) {
  if (!on) return []; // a trace from before terms were kept
  const raised = on.raised ? [t("Each memory counts its utility and {raised}.", { raised: number(on.raised) })] : [];
  return [t("A tree costs {cost} to open.", { cost: number(on.refinement_opening_cost) }), ...raised, t("The number on a link is what the link adds to the objective.")];
}

function drawPlots(evidence, width, open) {
  const each = Math.max(220, width > 900 ? (width - 16) / 2 - 34 : width - 34);
  const drawn = { Timeline: timeline(evidence, each, open), Map: map(evidence, each, open) };
  return Object.entries(drawn).map(([name, svg]) =>
    h("section", { "aria-label": t(name) }, h("h3", {}, t(name)), svg ?? h("p", { class: "faint" }, name === "Map" ? t("No candidate has coordinates.") : t("No candidate has a date.")), svg && h("p", { class: "faint" }, t("Numbers: chosen memories. Rings: other candidates."))),
  );
}

/** A select with these options. */
export function select(id, options, chosen) {
  const entries = Object.entries(options).map(([value, text]) => h("option", { value, selected: value === chosen }, text));
  return h("select", { id, name: id }, entries);
}

const COST_COLUMNS = ["Stage", "Time", "Share", "Calls", "Tokens in", "Tokens out", "Cost"];
const COLUMNS = ["Memory", "Fate", "p", "Link", "s", "Meaning", "Words", "Named", "Would cost", "Why"];

function candidates(evidence, open) {
  const counts = new Map();
  evidence.sorted.forEach((item) => counts.set(item.fate, (counts.get(item.fate) ?? 0) + 1));
  const options = { all: `${t("All")} (${evidence.sorted.length})` };
  counts.forEach((count, fate) => (options[fate] = `${t(FATES[fate])} (${count})`));
  const filter = select("fate-filter", options, "all");
  const body = h("tbody", {});
  const fill = () => body.replaceChildren(...evidence.sorted.filter((item) => ["all", item.fate].includes(filter.value)).map((item) => row(item, evidence, open)));
  filter.addEventListener("change", fill);
  fill();
  return h(
    "section",
    { "aria-labelledby": "candidates-heading" },
    h("div", { class: "heading" }, h("h3", { id: "candidates-heading" }, t("Candidates")), h("label", {}, t("Show"), " ", filter)),
    h("p", { class: "faint" }, t("p: utility. Link: what its link adds to the objective, or would add beside its anchor. s: retrieval score, from meaning (vectors), words (BM25) and what the question names. Would cost: what the objective loses if it has to be in.")),
    h(
      "div",
      { class: "wide", tabindex: 0, role: "group", "aria-label": t("Table of candidates") },
      h("table", { class: "candidates" }, h("thead", {}, h("tr", {}, COLUMNS.map((name) => h("th", { scope: "col" }, t(name))))), body),
    ),
  );
}

function row(item, evidence, open) {
  const { candidate } = item;
  const cell = (index, value, kind = "number") => h("td", { class: kind, "data-label": t(COLUMNS[index]) }, value);
  return h(
    "tr",
    { "data-id": item.id },
    h(
      "th",
      { scope: "row" },
      h("button", { class: "plain", type: "button", onclick: () => open(item.id) }, titleOf(item.memory, item.id)),
      h("div", { class: "faint" }, originOf(item.memory)),
    ),
    cell(1, h("span", { class: `fate ${item.fate}` }, item.number ? `${t("chosen")}, ${item.number}` : item.fate === "refined_away" ? t("proposed") : t(item.fate)), "fate-cell"),
    cell(2, number(item.utility)),
    cell(3, signed(item.linkGain) || "–"),
    cell(4, number(candidate?.score)),
    cell(5, number(candidate?.dense)),
    cell(6, number(candidate?.lexical)),
    cell(7, number(candidate?.matched)),
    cell(8, item.fate === "rejected" ? number(item.loss, 4) : "–"),
    cell(9, h("ul", {}, item.reasons.map((reason) => h("li", {}, withLinks(reason, evidence, open)))), "why"),
  );
}

function costs(trace) {
  const sum = (name) => trace.costs.reduce((total, cost) => total + cost[name], 0);
  const names = COST_COLUMNS;
  const all = sum("seconds");
  const line = (head, cost, share) =>
    h("tr", {}, h("th", { scope: "row" }, head), [duration(cost.seconds), share, cost.calls, cost.input_tokens, cost.output_tokens, number(cost.money, 4)].map((value) => h("td", { class: "number" }, value)));
  const total = { seconds: all, calls: sum("calls"), input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens"), money: sum("money") };
  return h(
    "section",
    { "aria-labelledby": "costs-heading" },
    h("h3", { id: "costs-heading" }, t("Time, tokens and cost")),
    h(
      "div",
      { class: "wide", tabindex: 0, role: "group", "aria-label": t("Table of costs") },
      h(
        "table",
        { class: "costs" },
        h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, t(name))))),
        h("tbody", {}, trace.costs.map((cost) => line(cost.stage, cost, h("meter", { min: 0, max: all || 1, value: cost.seconds, "aria-label": t("Share of {stage}", { stage: cost.stage }) })))),
        h("tfoot", {}, line(t("all"), total, "")),
      ),
    ),
    h("p", { class: "faint" }, [t("Profile {name}", { name: trace.profile }), trace.verifier && t("verifier {name}", { name: trace.verifier }), trace.reader && t("reader {name}", { name: trace.reader }), trace.id && t("trace {name}", { name: trace.id })].filter(Boolean).join(" · ")),
  );
}
