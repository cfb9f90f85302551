// Memories of a month: photos as a grid by day, or everything as a list by day.

import { excerptOf, pictureOf, previewImage } from "./cards.js";
import { dateFormat, h, titleOf, wallClock, when } from "./dom.js";
import { t } from "./words.js";

const FULL_DAY = dateFormat({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
const TILE = 152; // px, with its gap
const LINE = 62; // px of a line of the list, roughly

/** How high the photos of a month will be, roughly. */
export const gridHeight = (count) => 40 + Math.ceil(count / Math.max(2, Math.floor(Math.min(innerWidth, 1200) / TILE))) * TILE;

/** How high the list of a month will be, roughly. */
export const listHeight = (count) => 40 + count * LINE;

function byDay(memories) {
  const days = new Map();
  for (const memory of [...memories].reverse()) {
    const key = wallClock(memory.timestamp).toISOString().slice(0, 10);
    days.set(key, [...(days.get(key) ?? []), memory]);
  }
  return days;
}

const dayName = (key) => FULL_DAY(wallClock(`${key}T00:00:00`));

/** A photo as a button; a video has its name and a sign. */
function tile(memory, host, open) {
  const picture = pictureOf(memory);
  const label = `${titleOf(memory)}, ${when(memory.timestamp)}`;
  const shown = picture ? previewImage(picture, host, 256, { width: 144, height: 144 }) : h("span", { class: "film" }, "▶ ", memory.media.find((medium) => medium.modality === "video")?.name ?? t(memory.kind));
  return h("button", { type: "button", class: "tile", "data-id": memory.id, "aria-label": label, title: label, onclick: () => open(memory.id) }, shown);
}

/** Photos by day, newest first. */
export function photoDays(memories, host, open) {
  return [...byDay(memories)].map(([key, found]) => h("div", { class: "day" }, h("h3", {}, dayName(key)), h("div", { class: "grid" }, found.map((memory) => tile(memory, host, open)))));
}

/** Everything by day, newest first: photos in a strip, the rest in lines. */
export function listDays(memories, host, open) {
  return [...byDay(memories)].map(([key, found]) => {
    const photos = found.filter((memory) => pictureOf(memory) && !memory.text);
    const lines = found.filter((memory) => !photos.includes(memory));
    return h(
      "div",
      { class: "day" },
      h("h3", {}, dayName(key)),
      photos.length ? h("div", { class: "grid strip" }, photos.map((memory) => tile(memory, host, open))) : null,
      lines.length ? h("ul", { class: "lines" }, lines.map((memory) => line(memory, host, open))) : null,
    );
  });
}

/** A memory in a line: when, what, who, its title and some words. */
export function line(memory, host, open) {
  const title = titleOf(memory);
  const picture = pictureOf(memory);
  const more = excerptOf(memory, title, 160);
  return h(
    "li",
    { class: "line" },
    h("span", { class: "faint time" }, memory.timestamp ? wallClock(memory.timestamp).toISOString().slice(11, 16) : ""),
    picture ? previewImage(picture, host, 256, { width: 48, height: 48 }) : null,
    h(
      "div",
      {},
      h("span", { class: "faint" }, [t(memory.kind), memory.speaker].filter(Boolean).join(" · "), " "),
      h("button", { class: "plain", type: "button", "data-id": memory.id, onclick: () => open(memory.id) }, title),
      more && more !== title ? h("p", { class: "faint" }, more) : null,
    ),
  );
}
