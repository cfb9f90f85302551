// One memory with everything that is known of it, in a drawer at the side.

import { conversationOf, foldedText } from "./conversation.js";
import { byId, h, number, originOf, signed, size, titleOf, when, words } from "./dom.js";
import { changing } from "./edit.js";
import { FATES } from "./model.js";
import { pagesOf } from "./pages.js";
import { inWords } from "./problems.js";
import { t } from "./words.js";

/** Open the drawer on a memory; `evidence` adds what became of it in a question. */
export async function openMemory(id, host, { evidence = null, onsession = null, onchanged = null } = {}) {
  const drawer = byId("drawer");
  const known = evidence?.items.get(id)?.memory;
  let memory = known ?? null;
  let lost = "";
  try {
    memory ??= await host.memory(id);
  } catch (problem) {
    lost = inWords(problem);
  }
  const options = { evidence, onsession, onchanged };
  const follow = (other) => openMemory(other, host, options);
  const around = h("div", { class: "around" }); // its conversation, or the pages of its document
  const about = memory && host.about ? await host.about(id).catch(() => []) : [];
  byId("drawer-title").textContent = titleOf(memory, id);
  byId("drawer-body").replaceChildren(
    h("p", { class: "faint" }, memory ? originOf(memory) : lost || t("This memory is not in the archive.")),
    ...(memory ? [contents(memory), media(memory, host), around] : []),
    ...(evidence?.items.has(id) ? [verdict(evidence, id, follow)] : []),
    ...(memory ? [facts(memory, about, onsession && (() => (drawer.close(), onsession(memory.session))))] : []),
    ...(memory && host.canWrite ? [changing(memory, host, (message, next) => onchange(message, next, host, options))] : []),
  );
  if (!drawer.open) drawer.showModal();
  byId("drawer-body").scrollTop = 0;
  byId("drawer-title").focus();
  if (!memory) return;
  const found = (await conversationOf(memory, host, follow).catch(() => null)) ?? (await pagesOf(memory, host, follow).catch(() => null));
  if (found) around.replaceChildren(found);
}

async function onchange(message, next, host, options) {
  options.onchanged?.(message);
  if (next) await openMemory(next, host, { ...options, evidence: null });
}

function contents(memory) {
  if (memory.text) return foldedText(memory.text);
  return h("p", { class: "faint" }, memory.media.length ? "" : t("No text."));
}

function media(memory, host) {
  return h("div", { class: "media" }, memory.media.map((medium) => h("figure", {}, shown(medium, host), caption(medium))));
}

function shown(medium, host) {
  if (!medium.sha256) return h("p", { class: "faint" }, t("The archive knows of this file but does not hold it."));
  const isPicture = medium.modality === "image";
  const place = isPicture
    ? h("img", { alt: medium.description.short_caption || medium.description.caption || t("Picture {name}", { name: medium.name }), loading: "lazy" })
    : medium.modality === "text"
      ? h("a", { class: "file", download: medium.name || "file" }, t("Save {name}", { name: medium.name || t("file") }))
      : h(medium.modality, { controls: true, preload: "metadata", "aria-label": medium.name || t(medium.modality) });
  if (medium.modality === "video") Promise.resolve(host.preview(medium.sha256, 512)).then((url) => url && place.setAttribute("poster", url), () => {});
  const address = isPicture ? host.preview(medium.sha256, 1024) : host.file(medium.sha256);
  const missing = () => place.replaceWith(h("p", { class: "faint" }, t("The file is not here.")));
  Promise.resolve(address).then((url) => (url ? place.setAttribute(place.tagName === "A" ? "href" : "src", url) : missing()), missing);
  return place;
}

function caption(medium) {
  const { description } = medium;
  const what = [medium.name, medium.mime, size(medium.size), medium.width ? `${medium.width} × ${medium.height}` : "", medium.duration ? `${medium.duration} s` : ""];
  const texts = { [t("Caption")]: description.caption || description.short_caption, [t("Text in the picture")]: description.ocr, [t("Transcript")]: description.transcript };
  return h(
    "figcaption",
    {},
    h("span", { class: "faint" }, what.filter(Boolean).join(" · ")),
    Object.entries(texts).map(([name, text]) => text && h("p", {}, h("strong", {}, `${name}: `), text)),
  );
}

/** What became of it in the question, and why; ids in reasons become buttons. */
function verdict(evidence, id, follow) {
  const item = evidence.items.get(id);
  const { candidate, support, increment, loss } = item;
  const edges = evidence.trace.edges.filter((edge) => edge.source === id || edge.target === id);
  const rows = [
    [t("utility p"), number(item.utility, 3)],
    [t("verifier score"), support && number(support.score)],
    [t("retrieval score s"), candidate && number(candidate.score, 3)],
    [t("of that: meaning, words, named"), candidate && `${number(candidate.dense)}, ${number(candidate.lexical)}, ${number(candidate.matched)}`],
    [t("found"), candidate && (candidate.seed_rank === null ? t("by a link") : t("by retrieval, rank {rank}", { rank: candidate.seed_rank + 1 }))],
    [t("anchor"), candidate && (item.isAnchor ? t("yes") : t("no"))],
    [t("taking it would cost"), loss === null ? t("not computed") : item.fate === "rejected" ? number(loss, 4) : null],
    [t("beside its anchor"), increment && t("{role}, {score} of 5, weight w {weight}", { role: t(words(increment.role)), score: number(increment.score), weight: number(increment.weight) })],
    [item.node ? t("gain of its link") : t("its link would add"), signed(item.linkGain)],
  ];
  return h(
    "details",
    { class: "verdict" },
    h("summary", {}, h("h3", {}, t("In this question"), ": ", h("span", { class: `fate ${item.fate}` }, t(FATES[item.fate])))),
    h("ul", {}, item.reasons.map((reason) => h("li", {}, withLinks(reason, evidence, follow)))),
    table(rows),
    edges.length
      ? h("details", {}, h("summary", {}, t("Linked candidates ({count})", { count: edges.length })), h("ul", {}, edges.map((edge) => neighbour(edge, id, evidence, follow))))
      : null,
  );
}

function neighbour(edge, id, evidence, follow) {
  const other = edge.source === id ? edge.target : edge.source;
  return h("li", {}, named(other, evidence, follow), h("span", { class: "faint" }, ` ${words(edge.relation)} ${number(edge.confidence)}`));
}

/** A button that opens the memory of this id. */
export function named(id, evidence, follow) {
  return h("button", { class: "plain", type: "button", onclick: () => follow(id) }, titleOf(evidence.items.get(id)?.memory, id));
}

/** Put buttons in place of the ids that a text names. */
export function withLinks(text, evidence, follow) {
  const ids = [...evidence.items.keys()].filter((id) => text.includes(id));
  if (!ids.length) return [text];
  const [id] = ids.sort((a, b) => b.length - a.length);
  const [before, ...after] = text.split(id);
  return [...withLinks(before, evidence, follow), named(id, evidence, follow), ...withLinks(after.join(id), evidence, follow)].filter(Boolean);
}

function facts(memory, about, onsession) {
  const { place } = memory;
  const where = place && [place.name, place.latitude === null ? "" : `${place.latitude.toFixed(4)}, ${place.longitude.toFixed(4)}`].filter(Boolean).join("; ");
  const rows = [
    [t("when"), memory.timestamp && `${when(memory.timestamp)} (${memory.timestamp})`],
    [t("about"), about.map(({ first, last }) => (first === last ? first : `${first} – ${last}`)).join(", ")],
    [t("where"), where],
    [t("who"), memory.speaker],
    [t("source"), [memory.source, memory.source_id].filter(Boolean).join(": ")],
    [t("session"), memory.session],
    ...memory.references.map((reference) => [words(reference.relation), reference.source_id]),
    ...Object.entries(memory.metadata).map(([name, value]) => [words(name), plain(value)]),
    ["id", memory.id],
  ];
  return h(
    "details",
    {},
    h("summary", {}, t("All fields")),
    table(rows),
    memory.session && onsession ? h("p", {}, h("button", { type: "button", onclick: onsession }, t("Show all of its session"))) : null,
  );
}

function plain(value) {
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function table(rows) {
  return h("dl", {}, rows.filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
