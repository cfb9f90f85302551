// The evidence forest as a drawing. Wide: roots on the left, what hangs on them to the right. Narrow: an indented column.

import { posterOf } from "./cards.js";
import { h, number, originOf, s, shortOriginOf, signed, titleOf, words } from "./dom.js";
import { FATES, hang } from "./model.js";
import { linkPhrase } from "./phrases.js";
import { t } from "./words.js";

// In pixels; `link` is the room between a box and what hangs on it, for the label.
const SMALL = { width: 300, height: 40, gap: 4, link: 216, numbers: false };
const FULL = { width: 232, height: 74, gap: 14, link: 190, numbers: true };
const INDENT = 26;
const NARROW = 620;
const LEAST_WIDTH = 150; // of a box
const MOST_LINK = 300;
const LEAST_LINK = 130; // deep trees have narrow boxes and short links, before they run out of the page

/**
 * Draw the forest into `place`; `open(id)` is called for a box that is chosen.
 * With numbers: utilities and gains, groups by fate. Without: links in plain words, cited memories marked.
 */
export function drawForest(place, evidence, { fates, numbers, host, open }) {
  const width = Math.max(280, (place.clientWidth || 800) - 8);
  const roots = hang(evidence, fates);
  const look = numbers ? FULL : fitted(SMALL, depthOf(roots), width);
  const drawing = width < NARROW ? column(roots, width, look) : rows(roots, width, look);
  const svg = s("svg", {
    class: "forest",
    width: drawing.width,
    height: drawing.height,
    role: "group",
    "aria-label": t("Evidence forest: {trees} trees, {memories} memories. Arrow keys move, Enter opens.", {
      trees: roots.length,
      memories: drawing.boxes.length,
    }),
  });
  svg.append(
    ...drawing.titles.map(({ y, text }) => s("text", { x: 2, y, class: "group", "aria-hidden": "true" }, text)),
    ...drawing.boxes.filter((box) => box.parent).map((box) => drawLink(box, drawing.narrow, look)),
  );
  drawing.boxes.forEach((box, index) => svg.append(drawBox(box, index, look, host, open)));
  svg.addEventListener("keydown", (event) => move(event, drawing.boxes, open));
  place.replaceChildren(svg);
}

const depthOf = (branches) => (branches.length ? 1 + Math.max(...branches.map((branch) => depthOf(branch.children))) : 0);

/** Narrow the boxes, so that the deepest tree fits; widen the links if there is room. */
function fitted(look, depth, width) {
  const room = (width - 4 - (depth - 1) * look.link) / depth;
  const box = Math.max(LEAST_WIDTH, Math.min(look.width, room));
  const spare = (width - 4 - depth * box) / Math.max(1, depth - 1); // for the words on links
  return { ...look, width: box, link: Math.max(LEAST_LINK, Math.min(MOST_LINK, spare)) };
}

/** Place boxes in rows, in order: a tree has its own, those that stand alone share one. */
function rows(roots, width, look) {
  const drawing = { boxes: [], titles: [], width, height: 0, narrow: false };
  let y = 2;
  const step = look.height + look.gap;
  const put = (branch, depth, parent, top) => {
    const box = { ...branch, parent, x: 2 + depth * (look.width + look.link), y: top, w: look.width };
    drawing.boxes.push(box);
    drawing.width = Math.max(drawing.width, box.x + box.w + 4);
    let next = top;
    for (const child of branch.children) next = put(child, depth + 1, box, next);
    return Math.max(next, top + step);
  };
  const across = Math.max(1, Math.floor((width + look.gap) / (look.width + look.gap)));
  const w = Math.min(look.width * 1.4, (width - 4 - look.gap * (across - 1)) / across);
  for (const [title, group] of grouped(roots, look)) {
    if (title) drawing.titles.push({ y: y + 12, text: title });
    y += title ? 24 : 0;
    let filled = 0; // places of the row for those that stand alone
    for (const root of group) {
      if (filled && (root.children.length || filled === across)) [y, filled] = [y + step, 0];
      if (root.children.length) y = put(root, 0, null, y);
      else drawing.boxes.push({ ...root, parent: null, x: 2 + filled++ * (w + look.gap), y, w });
    }
    y += (filled ? step : 0) + 6;
  }
  drawing.height = y;
  return drawing;
}

/** Place boxes one below the other, each indented below what it hangs on. */
function column(roots, width, look) {
  const drawing = { boxes: [], titles: [], width, height: 0, narrow: true };
  let y = 2;
  const put = (branch, depth, parent) => {
    const indent = Math.min(depth, 4) * INDENT;
    if (parent) y += 18; // for the label of the link
    const box = { ...branch, parent, x: 2 + indent, y, w: width - indent - 4 };
    drawing.boxes.push(box);
    y += look.height + look.gap;
    branch.children.forEach((child) => put(child, depth + 1, box));
  };
  for (const [title, group] of grouped(roots, look)) {
    if (title) drawing.titles.push({ y: y + 12, text: title });
    y += title ? 24 : 0;
    group.forEach((root) => put(root, 0, null));
  }
  drawing.height = y;
  return drawing;
}

/** With numbers, groups by fate with their titles; without, trees before those that stand alone. */
function grouped(roots, { numbers }) {
  if (!numbers) return [["", [...roots].sort((a, b) => (b.children.length > 0) - (a.children.length > 0))]];
  const groups = Object.keys(FATES).map((fate) => [t(FATES[fate]), roots.filter((root) => root.item.fate === fate)]);
  return groups.filter(([, group]) => group.length);
}

const linkWords = ({ role, gain }) => `${t(words(role))} ${signed(gain)}`.trim();
const spoken = ({ role, gain }) => `${t(words(role))}${gain === null ? "" : `, ${t("gain {gain}", { gain: number(gain, 3) })}`}`;

function drawLink(box, narrow, look) {
  const { parent, edge, item } = box;
  const middle = box.y + look.height / 2;
  const from = parent.y + look.height / 2;
  const right = parent.x + parent.w;
  const way = narrow
    ? `M${parent.x + 12} ${parent.y + look.height} V${middle - 8} q0 8 8 8 H${box.x}`
    : `M${right} ${from} C${right + 30} ${from} ${right + 8} ${middle} ${right + 38} ${middle} H${box.x}`;
  const where = narrow ? { x: box.x + 6, y: box.y - 6 } : { x: right + 42, y: middle - 7 };
  const group = s("g", { class: `link role-${edge.role}`, "data-link": item.id, "aria-hidden": "true" });
  group.append(s("path", { d: way, class: item.fate }));
  if (!look.numbers) {
    const room = narrow ? box.w - 12 : look.link - 50;
    const [first, second] = lines(linkPhrase(item.memory, parent.item.memory, edge), room, 12);
    group.append(s("text", where, narrow && second ? fit(`${first} ${second}`, room, 12) : first));
    if (second && !narrow) group.append(s("text", { x: where.x, y: middle + 15 }, second));
    return group;
  }
  group.append(s("text", where, linkWords(edge)));
  const relations = edge.relations.map(words).join(", ");
  if (relations && !narrow) group.append(s("text", { x: where.x, y: middle + 16, class: "faint" }, fit(relations, look.link - 46, 11)));
  return group;
}

/** What a box is called aloud: its title, then what became of it or what it adds. */
function labelOf({ item, parent, edge, children }, { numbers }) {
  const title = `${item.number ? `${item.number}. ` : ""}${titleOf(item.memory, item.id)}`;
  const to = parent && titleOf(parent.item.memory, parent.item.id);
  if (!numbers) return [title, item.isCited ? t("cited") : "", edge ? `${linkPhrase(item.memory, parent.item.memory, edge)}: ${to}` : ""].filter(Boolean).join("; ");
  const kind = parent ? "" : `${t(children.length ? "root" : "alone")}, `;
  const label = `${title}; ${kind}${t(FATES[item.fate])}, ${t("utility {value}", { value: number(item.utility) })}`;
  return edge ? `${label}; ${spoken(edge)}, ${t("to {title}", { title: to })}` : label;
}

function drawBox(box, index, look, host, open) {
  const { item, parent } = box;
  const group = s("g", {
    class: `box ${item.fate}${parent ? "" : " root"}${item.isCited ? " cited" : ""}`,
    role: "button",
    tabindex: index ? -1 : 0,
    transform: `translate(${box.x} ${box.y})`,
    "data-id": item.id,
    "aria-label": labelOf(box, look),
    onclick: () => open(item.id),
  });
  const wide = look.numbers ? 48 : 32; // of the thumbnail
  const poster = posterOf(item.memory);
  const address = poster ? host.preview(poster.sha256, 256) : null; // a file without a server has none of videos and pages
  const left = address ? wide + 14 : 10;
  const room = box.w - left - 10;
  group.append(s("rect", { width: box.w, height: look.height, rx: 9, class: "frame" }));
  if (left > 10) group.append(thumbnail(address, wide, look.height));
  const top = [item.number ? `${item.number} ·` : "", (look.numbers ? originOf : shortOriginOf)(item.memory) || item.id.slice(0, 8)].join(" ").trim();
  const cited = item.isCited && !look.numbers ? ` · ${t("cited")}` : "";
  group.append(s("text", { x: left, y: look.numbers ? 17 : 16, class: "faint" }, fit(top + cited, room, 11)));
  const title = titleOf(item.memory, item.id);
  const shown = look.numbers ? lines(title, room, 13) : [fit(title, room, 13)];
  shown.forEach((line, i) => group.append(s("text", { x: left, y: 33 + i * 15, class: "title" }, line)));
  if (look.numbers) group.append(...utilityBar(item, left, box.w));
  return group;
}

function utilityBar(item, left, width) {
  const bar = width - left - 56;
  return [
    s("rect", { x: left, y: 61, width: bar, height: 4, rx: 2, class: "rail" }),
    s("rect", { x: left, y: 61, width: bar * Math.min(1, item.utility ?? 0), height: 4, rx: 2, class: "level" }),
    s("text", { x: width - 10, y: 66, class: "faint", "text-anchor": "end" }, `p ${number(item.utility)}`),
  ];
}

function thumbnail(address, width, height) {
  const image = s("image", { x: 7, y: 7, width, height: height - 14, preserveAspectRatio: "xMidYMid slice" });
  image.setAttribute("aria-hidden", "true");
  Promise.resolve(address).then(
    (url) => url && image.setAttribute("href", url),
    () => image.remove(),
  );
  return image;
}

const pen = document.createElement("canvas").getContext("2d");

function fit(text, room, points) {
  pen.font = `${points}px system-ui, sans-serif`;
  if (pen.measureText(text).width <= room) return text;
  let end = text.length;
  while (end > 1 && pen.measureText(`${text.slice(0, end)}…`).width > room) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
}

/** Break a title into two lines at most. */
function lines(text, room, points) {
  pen.font = `${points}px system-ui, sans-serif`;
  const parts = text.split(" ");
  let first = parts.shift();
  while (parts.length && pen.measureText(`${first} ${parts[0]}`).width <= room) first += ` ${parts.shift()}`;
  return [fit(first, room, points), ...(parts.length ? [fit(parts.join(" "), room, points)] : [])];
}

/** Arrow keys: left to what it hangs on, right to the first that hangs on it, up and down in order. */
function move(event, boxes, open) {
  const at = boxes.findIndex((box) => box.item.id === event.target.dataset?.id);
  if (at < 0) return;
  const here = boxes[at];
  const find = (fits) => boxes.findIndex(fits);
  const beside = (box) => !box.parent && !here.parent && box.y === here.y;
  const goals = {
    ArrowDown: () => at + 1,
    ArrowUp: () => at - 1,
    ArrowRight: () => find((box) => box.parent?.item === here.item || (beside(box) && box.x > here.x)),
    ArrowLeft: () => (here.parent ? find((box) => box.item === here.parent.item) : boxes.findLastIndex((box) => beside(box) && box.x < here.x)),
    Home: () => 0,
    End: () => boxes.length - 1,
  };
  if (event.key === "Enter" || event.key === " ") open(here.item.id);
  else if (goals[event.key]) focusBox(event.currentTarget.querySelectorAll(".box"), goals[event.key]());
  else return;
  event.preventDefault();
}

/** Only one box is in the tab order: the one that was reached last. */
function focusBox(groups, goal) {
  if (!groups[goal]) return;
  groups.forEach((group, i) => group.setAttribute("tabindex", i === goal ? 0 : -1));
  groups[goal].focus();
}

/** The same forest as a nested list, for those who do not see drawings. */
export function listForest(evidence, fates, open) {
  const entry = ({ item, edge, children }) =>
    h(
      "li",
      {},
      h("button", { class: "plain", type: "button", onclick: () => open(item.id) }, titleOf(item.memory, item.id)),
      h("span", { class: "faint" }, ` ${originOf(item.memory)}; ${t(FATES[item.fate])}, ${t("utility {value}", { value: number(item.utility) })}`),
      edge && h("span", { class: "faint" }, `; ${spoken(edge)}${edge.relations.length ? ` (${edge.relations.map(words).join(", ")})` : ""}`),
      children.length ? h("ul", {}, children.map(entry)) : null,
    );
  return h("ul", { class: "forest-list" }, hang(evidence, fates).map(entry));
}
