// Cards: a memory in a few lines, a photo as a photo.

import { cut, h, shortOriginOf, titleOf } from "./dom.js";
import { t } from "./words.js";

/** The first picture of a memory that the archive holds, or undefined. */
export const pictureOf = (memory) => memory?.media.find((medium) => medium.modality === "image" && medium.sha256);

/** What can be shown of a memory as a picture: a photo, the poster of a video, the first page of a document. */
export const posterOf = (memory) => pictureOf(memory) ?? memory?.media.find((medium) => medium.sha256 && (medium.modality === "video" || isPdf(medium)));

/** Whether a medium is a PDF, whose pages can be shown. */
export const isPdf = (medium) => medium.modality === "text" && medium.mime === "application/pdf";

/** An image element of a medium's preview; it is removed if there is none. */
export function previewImage(medium, host, edge, properties = {}) {
  const image = h("img", { alt: "", loading: "lazy", ...properties, onerror: () => image.remove() });
  Promise.resolve(host.preview(medium.sha256, edge)).then(
    (url) => (url ? image.setAttribute("src", url) : image.remove()),
    () => image.remove(),
  );
  return image;
}

/** The words of a memory that its title does not say already. */
export function excerptOf(memory, title, limit) {
  const described = memory.media[0]?.description;
  const text = memory.text.trimStart() || described?.ocr || described?.transcript || "";
  const stem = title.replace(/…$/, "");
  return cut(text.startsWith(stem) && !title.endsWith("…") ? text.slice(stem.length) : text, limit);
}

/** A piece of evidence: its number, what it is, what the answer quotes of it. */
export function evidenceCard(item, evidence, host, open) {
  const { memory } = item;
  const title = titleOf(memory, item.id);
  const quote = evidence.trace.answer?.citations.find((citation) => citation.memory_id === item.id)?.quote;
  const picture = posterOf(memory);
  const words = quote ? h("q", {}, cut(quote, 160)) : memory && excerptOf(memory, title, 160);
  return h(
    "li",
    { class: `card evidence${item.isCited ? " cited" : ""}${picture ? " pictured" : ""}`, "data-id": item.id },
    picture ? h("div", { class: "shown" }, previewImage(picture, host, 512), picture.modality === "video" ? h("span", { class: "play", "aria-hidden": "true" }, "▶") : null) : null,
    h(
      "div",
      {},
      h("div", { class: "faint" }, h("span", { class: "rank" }, String(item.number)), item.isCited ? h("span", { class: "mark" }, t("cited")) : null, ` ${shortOriginOf(memory)}`),
      h("button", { class: "plain title", type: "button", onclick: () => open(item.id) }, title),
      words && (words.textContent ?? words) !== title ? h("p", {}, words) : null,
    ),
  );
}
