// A trace as the page sees it: one item for each memory, and how items hang together.

const ORDER = { chosen: 0, refined_away: 1, rejected: 2, duplicate: 3 };
export const FATES = {
  chosen: "chosen",
  refined_away: "proposed, left out in the end",
  rejected: "rejected",
  duplicate: "duplicate",
};

/** Return the trace with an item for every candidate and duplicate, chosen ones first. */
export function evidenceOf({ trace, explanations }, memories) {
  const by = (records) => new Map(records.map((record) => [record.memory_id, record]));
  const candidates = by(trace.candidates);
  const supports = by(trace.supports);
  const increments = by(trace.increments);
  const trees = trace.forest?.trees ?? [];
  const nodes = by(trees.flatMap((tree) => tree.nodes));
  const items = new Map();
  for (const told of explanations) {
    const id = told.memory_id;
    if (items.has(id)) continue; // a duplicate that came back by expansion is explained twice
    items.set(id, {
      ...told,
      id,
      memory: memories.get(id) ?? null,
      candidate: candidates.get(id) ?? null,
      support: supports.get(id) ?? null,
      increment: increments.get(id) ?? null,
      node: nodes.get(id) ?? null,
      isAnchor: trace.anchors.includes(id),
    });
  }
  const sorted = [...items.values()].sort(
    (a, b) => ORDER[a.fate] - ORDER[b.fate] || (a.rank ?? 0) - (b.rank ?? 0) || (b.utility ?? 0) - (a.utility ?? 0),
  );
  const ranks = new Map((trace.packet?.blocks ?? []).map((block) => [block.rank, block.memory_id]));
  if (!ranks.size) sorted.filter((item) => item.rank).forEach((item) => ranks.set(item.rank, item.id));
  return { trace, items, sorted, ranks };
}

/** All ids that a trace speaks of. */
export function idsOf({ trace, explanations }) {
  return [...trace.candidates.map((one) => one.memory_id), ...explanations.map((one) => one.memory_id)];
}

/**
 * Hang items together: chosen ones as the forest says, the others on what they would be linked to.
 * Returns roots: {item, edge: {role, weight, relations} or null, children}.
 */
export function hang(evidence, fates) {
  const shown = evidence.sorted.filter((item) => fates.includes(item.fate));
  const links = new Map(shown.map((item) => [item.id, []]));
  for (const { id, node, increment, fate } of shown) {
    const anchor = fate === "chosen" ? node?.parent_id : increment?.weight > 0 ? increment.anchor_id : null;
    if (!anchor || !links.has(anchor)) continue;
    const edge = edgeOf(evidence, id, anchor, node);
    links.get(anchor).push([id, edge]);
    links.get(id).push([anchor, edge]);
  }
  const made = new Map();
  const grow = (id, edge) => {
    const branch = { item: evidence.items.get(id), edge, children: [] };
    made.set(id, branch);
    for (const [other, link] of links.get(id)) if (!made.has(other)) branch.children.push(grow(other, link));
    return branch;
  };
  // The order of `shown` puts roots of chosen trees first: each is the first of its tree in rank.
  return shown.filter((item) => !made.has(item.id)).flatMap((item) => (made.has(item.id) ? [] : [grow(item.id, null)]));
}

/** The verdict behind a link stands with whichever of its two ends was the candidate. */
function edgeOf({ items }, id, anchor, node) {
  const own = items.get(id).increment;
  const other = items.get(anchor).increment;
  const verdict = own?.anchor_id === anchor ? own : other?.anchor_id === id ? other : null;
  return {
    role: node?.role ?? verdict?.role ?? "linked",
    weight: node?.weight ?? verdict?.weight ?? null,
    score: verdict?.score ?? null,
    relations: verdict?.relations ?? [],
  };
}

const NUMBER = "(?:(?:memory|memories|block|source)\\s*)?#?\\d{1,3}";
const CITED = new RegExp(
  `[[【]\\s*(${NUMBER}(?:\\s*(?:,|;|&|and|to|-|–|—|\\s)\\s*${NUMBER})*)\\s*(:[^\\]】]{0,300})?[\\]】]`,
  "gi",
);

/** Split an answer into texts and citations: [{text}, {text, ranks: [1, 2]}]. */
export function citedParts(text, ranks) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(CITED)) {
    const named = [...match[1].matchAll(/(\d+)(?:\s*(?:-|–|—|to)\s*\D*?(\d+))?/gi)].flatMap(([, first, last]) =>
      Array.from({ length: Math.max(1, Number(last ?? first) - Number(first) + 1) }, (_, i) => Number(first) + i),
    );
    const known = named.filter((rank) => ranks.has(rank));
    if (!known.length) continue;
    parts.push({ text: text.slice(end, match.index) }, { text: match[0], ranks: known });
    end = match.index + match[0].length;
  }
  parts.push({ text: text.slice(end) });
  return parts.filter((part) => part.text);
}
