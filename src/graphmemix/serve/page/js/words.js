// Words in the language of the reader. A catalogue maps the English text to its translation; what it lacks stays English.

let catalogue = new Map();

/** Use a catalogue: pairs of an English text and its translation. */
export function useCatalogue(entries) {
  catalogue = new Map(entries);
}

/** Translate a text, and put values in place of {names}. */
export function t(text, values = {}) {
  return (catalogue.get(text) ?? text).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** The locale of dates and numbers. */
export const locale = () => (document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang);

/** A number of things: counted(2, "{count} memory", "{count} memories"). */
export function counted(count, one, many) {
  return t(count === 1 ? one : many, { count: count.toLocaleString(locale()) });
}

/** Translate what the document says by itself: texts, and the attributes that are read out. */
export function translateDocument(root = document) {
  root.querySelectorAll("[data-t]").forEach((element) => (element.textContent = t(element.textContent.trim())));
  for (const name of ["placeholder", "aria-label"])
    root.querySelectorAll(`[data-t-${name}]`).forEach((element) => element.setAttribute(name, t(element.getAttribute(name))));
}
