// A trace as the page sees it: one item for each memory, and how items hang together.

const ORDER = { chosen: 0, refined_away: 1, rejected: 2, duplicate: 3 };
export const FATES = {
  chosen: "chosen",
  refined_away: "proposed, dropped by refinement",
  rejected: "rejected",
  duplicate: "duplicate",
};

/** Return the trace with an item for every candidate and duplicate, chosen ones first. */
export function evidenceOf({ trace, holds, explanations }, memories) {
  const by = (records) => new Map(records.map((record) => [record.memory_id, record]));
  const candidates = by(trace.candidates);
  const supports = by(trace.supports);
  const increments = by(trace.increments);
  const trees = trace.forest?.trees ?? [];
  const nodes = by(trees.flatMap((tree) => tree.nodes));
  const ranks = new Map((trace.packet?.blocks ?? []).map((block) => [block.rank, block.memory_id]));
  const cited = citedIds(trace.answer, ranks);
  const items = new Map();
  for (const explanation of explanations) {
    const id = explanation.memory_id;
    if (items.has(id)) continue; // a duplicate that came back by expansion is explained twice
    items.set(id, {
      ...explanation,
      id,
      memory: memories.get(id) ?? null,
      candidate: candidates.get(id) ?? null,
      support: supports.get(id) ?? null,
      increment: increments.get(id) ?? null,
      node: nodes.get(id) ?? null,
      isCited: cited.includes(id),
      isAnchor: trace.anchors.includes(id),
      // Of a chosen memory the link that it hangs on, if any; of another the link that it could have had.
      linkGain: nodes.has(id) ? nodes.get(id).gain : explanation.gain,
    });
  }
  const sorted = [...items.values()].sort(
    (a, b) => ORDER[a.fate] - ORDER[b.fate] || (a.rank ?? 0) - (b.rank ?? 0) || (b.utility ?? 0) - (a.utility ?? 0),
  );
  if (!ranks.size) sorted.filter((item) => item.rank).forEach((item) => ranks.set(item.rank, item.id));
  const inAnswer = (item) => (item.isCited ? cited.indexOf(item.id) : cited.length + item.rank);
  const chosen = sorted.filter((item) => item.rank).sort((a, b) => inAnswer(a) - inAnswer(b));
  // Its rank, as on the terminal and in what a model writes: a number does not change when the answer is complete.
  chosen.forEach((item) => (item.number = item.rank));
  return { trace, holds, explanations, items, sorted, chosen, ranks };
}

/** The memories that an answer cites, in its order: as its text names them, then as its list does. */
function citedIds(answer, ranks) {
  if (!answer) return [];
  const named = citedParts(answer.text, ranks).flatMap((part) => part.ranks ?? []);
  return [...new Set([...named.map((rank) => ranks.get(rank)), ...answer.citations.map((citation) => citation.memory_id)])];
}

/** All ids that a trace speaks of. */
export function idsOf({ trace, explanations }) {
  return [...trace.candidates.map((one) => one.memory_id), ...explanations.map((one) => one.memory_id)];
}

/** The ids of what was chosen. */
export function chosenIds({ trace }) {
  return (trace.forest?.trees ?? []).flatMap((tree) => tree.nodes.map((node) => node.memory_id));
}

/**
 * Hang items together: chosen ones exactly as the forest says, the others on what they would be linked to.
 * Returns roots: {item, edge: {role, gain, relations} or null, children}.
 */
export function hang(evidence, fates) {
  const shown = evidence.sorted.filter((item) => fates.includes(item.fate));
  const made = new Map();
  const roots = [];
  const put = (item, parent) => {
    const branch = { item, edge: parent ? edgeOf(item, parent.item) : null, children: [] };
    made.set(item.id, branch);
    (parent?.children ?? roots).push(branch);
  };
  // Ranks go breadth-first: what a chosen memory hangs on was there before it.
  shown.filter((item) => item.fate === "chosen").forEach((item) => put(item, made.get(item.node?.parent_id)));
  let rest = shown.filter((item) => item.fate !== "chosen");
  while (rest.length) {
    const next = rest.find((item) => neighbourOf(item, made)) ?? rest[0];
    put(next, neighbourOf(next, made));
    rest = rest.filter((item) => item !== next);
  }
  return roots;
}

const trusts = (item, other) => item.increment?.weight > 0 && item.increment.anchor_id === other.id;

/** What is drawn already and has a trusted link with an item, whichever of the two is the anchor. */
function neighbourOf(item, made) {
  return made.get(item.increment?.weight > 0 && item.increment.anchor_id) ?? [...made.values()].find((one) => trusts(one.item, item));
}

/**
 * The verdict behind a link stands with whichever of its two ends was the candidate; so does what it would add, if it
 * is no part of the forest. Two memories may be each other's anchors: the forest used the heavier link.
 */
function edgeOf(item, parent) {
  const ends = [trusts(item, parent) && item, trusts(parent, item) && parent].filter(Boolean);
  const [end] = ends.sort((a, b) => b.increment.weight - a.increment.weight);
  return {
    role: item.node?.role ?? end?.increment.role ?? "linked",
    gain: (item.node?.parent_id === parent.id ? item.node.gain : end?.gain) ?? null, // unknown in old traces
    relations: end?.increment.relations ?? [],
  };
}

const NUMBER = "(?:(?:memory|memories|block|source)\\s*)?#?\\d{1,3}";
const CITED = new RegExp(
  `[[【]\\s*(${NUMBER}(?:\\s*(?:,|;|&|and|to|-|–|—|\\s)\\s*${NUMBER})*)\\s*(:[^\\]】]{0,300})?[\\]】]`,
  "gi",
);

/** The text of an answer without its citations, as far as it has come. */
export const withoutCitations = (text) => text.replace(CITED, "").replace(/[[【][^\]】]{0,300}$/, "");

/** Split an answer into texts and citations: [{text}, {text, ranks: [1, 2], isTold}]; told: with where it is from. */
export function citedParts(text, ranks) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(CITED)) {
    const named = [...match[1].matchAll(/(\d+)(?:\s*(?:-|–|—|to)\s*\D*?(\d+))?/gi)].flatMap(([, first, last]) =>
      Array.from({ length: Math.max(1, Number(last ?? first) - Number(first) + 1) }, (_, i) => Number(first) + i),
    );
    const known = named.filter((rank) => ranks.has(rank));
    if (!known.length) continue;
    parts.push({ text: text.slice(end, match.index) }, { text: match[0], ranks: known, isTold: Boolean(match[2]) });
    end = match.index + match[0].length;
  }
  parts.push({ text: text.slice(end) });
  return parts.filter((part) => part.text);
}
