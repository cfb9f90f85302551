// Memories of a month: photos as a grid by day, or everything as a list by day and episode.

import { excerptOf, posterOf, previewImage } from "./cards.js";
import { clock, dateFormat, h, titleOf, wallClock, when } from "./dom.js";
import { episodeName, episodesOf } from "./episodes.js";
import { counted, t } from "./words.js";

const FULL_DAY = dateFormat({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
const SHORT_DAY = dateFormat({ weekday: "short", day: "numeric", month: "short" }); // below the name of a month
const TILE = 154; // px, with its gap
const HEADING = 34; // px of the name of a day
const LINE = 58; // px of a line of the list, roughly

/** How high the photos of a month will be, roughly. */
export const gridHeight = (count) => HEADING + Math.ceil(count / Math.max(2, Math.floor(Math.min(innerWidth - 90, 1350) / TILE))) * (TILE + HEADING / 2);

/** How high the list of a month will be, roughly. */
export const listHeight = (count) => 40 + count * LINE;

function byDay(memories) {
  const days = new Map();
  for (const memory of [...memories].reverse()) {
    const key = wallClock(memory.timestamp).toISOString().slice(0, 10);
    if (!days.has(key)) days.set(key, []);
    days.get(key).push(memory);
  }
  return days;
}

const dayName = (key, name) => name(wallClock(`${key}T00:00:00`));

/** A photo, or the poster of a video with a sign, as a button. */
function tile(memory, host, open) {
  const poster = posterOf(memory);
  const label = `${titleOf(memory)}, ${when(memory.timestamp)}`;
  const isFilm = poster?.modality !== "image";
  const name = memory.media.find((medium) => medium.modality === "video")?.name ?? t(memory.kind);
  return h(
    "button",
    { type: "button", class: "tile", "data-id": memory.id, "aria-label": label, title: label, onclick: () => open(memory.id) },
    isFilm ? h("span", { class: "film" }, name) : null,
    poster ? previewImage(poster, host, 256, { width: 148, height: 148 }) : null,
    isFilm ? h("span", { class: "play", "aria-hidden": "true" }, "▶") : null,
  );
}

/** Photos by day, newest first; days with few photos share a row. */
export function photoDays(memories, host, open) {
  return [...byDay(memories)].map(([key, found]) => h("div", { class: "day photos" }, h("h3", { title: dayName(key, FULL_DAY) }, dayName(key, SHORT_DAY)), h("div", { class: "grid" }, found.map((memory) => tile(memory, host, open)))));
}

/** Everything by day and episode, newest first: photos in a strip, the rest in lines. */
export function listDays(memories, host, open) {
  return [...byDay(memories)].map(([key, found]) => {
    const episodes = episodesOf(found);
    const parts = episodes.map((each) => (episodes.length > 1 ? h("section", { class: "episode" }, h("h4", {}, episodeName(each)), contentsOf(each, host, open)) : contentsOf(each, host, open)));
    return h("div", { class: "day" }, h("h3", {}, dayName(key, FULL_DAY)), parts);
  });
}

/** The first part alone of each document, and how many it has. */
function joined(memories) {
  const parts = new Map();
  for (const memory of memories) if (memory.kind === "document" && memory.session) parts.set(memory.session, [...(parts.get(memory.session) ?? []), memory]);
  const first = (memory) => parts.get(memory.session).reduce((a, b) => ((b.sequence ?? 0) < (a.sequence ?? 0) ? b : a));
  const isShown = (memory) => memory.kind !== "document" || !memory.session || first(memory) === memory;
  return { shown: memories.filter(isShown), count: (memory) => (memory.kind === "document" && parts.get(memory.session)?.length) || 1 };
}

function contentsOf(memories, host, open) {
  const photos = memories.filter((memory) => ["photo", "video"].includes(memory.kind) && posterOf(memory) && !memory.text);
  const { shown, count } = joined(memories);
  const lines = shown.filter((memory) => !photos.includes(memory));
  return [
    photos.length ? h("div", { class: "grid strip" }, photos.map((memory) => tile(memory, host, open))) : null,
    lines.length ? h("ul", { class: "lines" }, lines.map((memory) => line(memory, host, open, { pages: count(memory) }))) : null,
  ];
}

const partOf = (memory, pages, dated) => (pages > 1 ? counted(pages, "{count} page", "{count} pages") : dated && memory.metadata.page ? t("Page {number}", { number: memory.metadata.page }) : "");

/** A memory in a line: when, what, who, its title and some words. */
export function line(memory, host, open, { dated = false, pages = 1 } = {}) {
  const title = titleOf(memory);
  const poster = posterOf(memory);
  const more = excerptOf(memory, title, 160);
  return h(
    "li",
    { class: "line" },
    h("span", { class: "faint time" }, dated ? when(memory.timestamp) : clock(memory.timestamp)),
    poster ? previewImage(poster, host, 256, { width: 48, height: 48 }) : null,
    h(
      "div",
      {},
      h("button", { class: "plain title", type: "button", "data-id": memory.id, onclick: () => open(memory.id) }, title),
      h("span", { class: "faint" }, " ", [t(memory.kind), memory.speaker, partOf(memory, pages, dated)].filter(Boolean).join(" · ")),
      more && more !== title ? h("p", { class: "faint" }, more) : null,
    ),
  );
}
