// The pages of a document: the page as it looks, and the way to the others.

import { isPdf } from "./cards.js";
import { cut, h } from "./dom.js";
import { t } from "./words.js";

const SHOWN = 1024; // px of the longest edge of a page

/** The pages or sections of the document that a memory is part of; null if it is no document, or has but one. */
export async function pagesOf(memory, host, follow) {
  if (memory.kind !== "document" || !memory.session || !host.list) return null;
  const { memories } = await host.list(new URLSearchParams({ session: memory.session, limit: 500 }));
  const parts = memories.filter((one) => one.kind === "document").sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
  const here = parts.findIndex((one) => one.id === memory.id);
  const file = parts.flatMap((one) => one.media).find((medium) => medium.sha256 && isPdf(medium));
  const picture = file && pageImage(memory, file, host);
  if (here < 0 || (parts.length < 2 && !picture)) return null;
  const step = (to, words) => h("button", { type: "button", disabled: !parts[to], onclick: () => follow(parts[to].id) }, words);
  const name = (one, i) => (one.metadata.page ? t("Page {number}", { number: one.metadata.page }) : t("Part {number}", { number: i + 1 }));
  const entry = (one, i) => h("li", { "aria-current": i === here && "true" }, h("button", { class: "plain", type: "button", onclick: () => follow(one.id) }, `${name(one, i)}: ${cut(one.text, 70)}`));
  return h(
    "section",
    { class: "pages", "aria-labelledby": "pages-heading" },
    h("div", { class: "row" }, h("h3", { id: "pages-heading" }, t("{page} of {count}", { page: name(memory, here), count: parts.length })), parts.length > 1 ? [step(here - 1, t("Previous")), step(here + 1, t("Next"))] : null),
    picture,
    parts.length > 1 ? h("details", {}, h("summary", {}, t("All pages")), h("ol", { class: "page-list" }, parts.map(entry))) : null,
  );
}

function pageImage(memory, file, host) {
  const page = memory.metadata.page ?? 1;
  const image = h("img", { class: "page", alt: t("Page {number}", { number: page }), onerror: () => image.remove() });
  Promise.resolve(host.preview(file.sha256, SHOWN, page)).then(
    (url) => (url ? image.setAttribute("src", url) : image.remove()),
    () => image.remove(),
  );
  return image;
}
