// Elements, and how values are shown. Text always becomes a text node: nothing here parses markup.

import { locale, t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.setAttribute("class", value);
    else if (["value", "checked", "disabled", "hidden", "open", "selected"].includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Make an HTML element: h("p", {class: "note", onclick}, "text", child). */
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** Make an SVG element. */
export function s(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/** Return the element of this id. */
export const byId = (id) => document.getElementById(id);

export const HOUR = 36e5; // milliseconds

let local = null; // formats moments by the clock of the archive's zone

/** Show all times in this zone; an unknown one is ignored. */
export function showIn(zone) {
  try {
    local = zone ? new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }) : null;
  } catch {
    local = null;
  }
}

/**
 * A clock that shows the time in the zone of the archive. Midnight means that only the day is known,
 * and stays; without a zone, the time is as it was written.
 */
export function wallClock(timestamp) {
  const timed = /(?:Z|[+-]\d\d:\d\d)$/.test(timestamp) && !/T00:00/.test(timestamp);
  if (local && timed) return new Date(`${local.format(new Date(timestamp)).replace(" ", "T")}Z`);
  return new Date(`${timestamp.slice(0, 19)}Z`);
}

/** A function that writes dates in the language of the page, which is known when the first is written. */
export function dateFormat(options) {
  let made = null;
  return (date) => (made ??= new Intl.DateTimeFormat(locale(), { timeZone: "UTC", ...options })).format(date);
}

const DAY = { day: "numeric", month: "short", year: "numeric" };
export const day = dateFormat(DAY);
export const dayAndTime = dateFormat({ ...DAY, hour: "2-digit", minute: "2-digit" });
const hasTime = (timestamp) => !/T00:00:00/.test(timestamp); // at midnight only the day is known
/** The day, and the time if it is known. */
export const when = (timestamp) => (timestamp ? (hasTime(timestamp) ? dayAndTime : day)(wallClock(timestamp)) : t("no date"));
/** The time of a day, such as 08:12; empty if only the day is known. */
export const clock = (timestamp) => (timestamp && hasTime(timestamp) ? wallClock(timestamp).toISOString().slice(11, 16) : "");
export const words = (name) => name.replaceAll("_", " ");
/** A number with its sign, a true minus included; empty if there is none. */
export const signed = (value, digits = 3) => (value === null || value === undefined ? "" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`);
export const number = (value, digits = 2) => (value === null || value === undefined ? "–" : value.toFixed(digits));

export function duration(seconds) {
  return seconds < 1 ? `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms` : `${seconds.toFixed(2)} s`;
}

export function size(bytes) {
  if (bytes === null || bytes === undefined) return "";
  if (bytes < 1000) return t("{count} bytes", { count: bytes });
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Cut a text at a word, with an ellipsis. */
export function cut(text, limit) {
  const flat = text.replace(/\s+/g, " ").trim();
  if (flat.length <= limit) return flat;
  const short = flat.slice(0, limit - 1);
  return `${short.slice(0, Math.max(short.lastIndexOf(" "), limit * 0.6)).trimEnd()}…`;
}

const firstLine = (text) => text.trimStart().split("\n", 1)[0];

/** A place in a few words: of "Malcesine, Veneto, Italy" the town. */
export const shortPlace = (name) => cut(name.split(/[,(]/)[0], 32);

// The first line of a page may be its number: then the document is called by its title.
const isTelling = (line) => /\p{L}{2}.*\p{L}{2}/u.test(line);

/** What a memory is called in lists and graphs. */
export function titleOf(memory, id = "") {
  if (!memory) return t("memory {id}", { id: id.slice(0, 8) });
  const medium = memory.media[0];
  const described = medium?.description;
  const place = memory.place?.name ? `${t(memory.kind)}, ${memory.place.name}` : "";
  const first = firstLine(memory.text);
  const document = memory.kind === "document" && !isTelling(first) && (memory.metadata.title || memory.metadata.file);
  const title = memory.metadata.subject || document || first || described?.short_caption || described?.caption || described?.transcript;
  return cut(String(title || place || medium?.name || t(memory.kind)), 120);
}

/** Where a memory comes from, in a few words. */
export function originOf(memory) {
  if (!memory) return "";
  return [t(memory.kind), when(memory.timestamp), memory.speaker].filter(Boolean).join(" · ");
}

/** The same in fewer words: the day alone, and the kind in the language of the page. */
export function shortOriginOf(memory) {
  if (!memory) return "";
  return [t(memory.kind), memory.timestamp && day(wallClock(memory.timestamp)), memory.speaker].filter(Boolean).join(" · ");
}

/** Show a message to everybody, screen readers included; what is to be seen anyway is only read out. */
export function announce(text, bad = false, seen = true) {
  const status = byId("status");
  status.textContent = text;
  status.classList.toggle("bad", bad);
  status.classList.toggle("quiet", !seen);
}

/** Let the browser save a file. */
export function saveAs(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
