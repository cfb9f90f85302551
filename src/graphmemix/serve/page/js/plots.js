// When and where: a timeline and a plain map (a grid of degrees, no tiles, nothing fetched).

import { HOUR, day, dayAndTime, s, titleOf, wallClock } from "./dom.js";
import { t } from "./words.js";

const KM_PER_DEGREE = 111.32;

/** Draw the dated items on a line; returns null if there are none. */
export function timeline(evidence, width, open) {
  const dated = evidence.sorted.filter((item) => item.memory?.timestamp);
  const chosen = dated.filter((item) => item.rank);
  if (!dated.length) return null;
  const times = dated.map((item) => wallClock(item.memory.timestamp).getTime());
  const spare = Math.max((Math.max(...times) - Math.min(...times)) * 0.04, HOUR);
  const [from, to] = [Math.min(...times) - spare, Math.max(...times) + spare];
  const x = (time) => 14 + ((time - from) / (to - from)) * (width - 28);
  const levels = stacked(chosen.map((item) => ({ item, at: x(wallClock(item.memory.timestamp).getTime()) })));
  const axis = 46 + Math.max(1, ...levels.map(({ level }) => level + 1)) * 24;
  const tell = to - from < 3 * 24 * HOUR ? dayAndTime : day;
  const dates = chosen.map((item) => `${item.number}: ${day(wallClock(item.memory.timestamp))}`).join(", ");
  const svg = plot(width, axis + 30, t("Timeline: {count} candidates from {first} to {last}; {dates}.", { count: dated.length, first: day(from), last: day(to), dates }));
  svg.append(s("line", { x1: 6, x2: width - 6, y1: axis, y2: axis, class: "axis" }));
  const ticks = Math.max(2, Math.floor(width / 150));
  for (let i = 0; i < ticks; i += 1) {
    const time = from + ((to - from) * (i + 0.5)) / ticks;
    svg.append(
      s("line", { x1: x(time), x2: x(time), y1: axis, y2: axis + 5, class: "axis" }),
      s("text", { x: x(time), y: axis + 20, "text-anchor": "middle" }, tell(new Date(time))),
    );
  }
  const others = dated.filter((item) => !item.rank);
  svg.append(...others.map((item) => dot(x(wallClock(item.memory.timestamp).getTime()), axis - 7, item, open)));
  svg.append(...levels.map(({ at, y }) => s("line", { x1: at, x2: at, y1: axis - y, y2: axis, class: "stem" })));
  svg.append(...levels.map(({ at, y, item }) => dot(at, axis - y, item, open)));
  return svg;
}

/** Put numbers that would cover each other on levels above each other. */
function stacked(points) {
  const ends = []; // where the last number of each level ends
  return points
    .sort((a, b) => a.at - b.at)
    .map(({ item, at }) => {
      let level = ends.findIndex((end) => end < at - 11);
      if (level < 0) level = ends.length;
      ends[level] = at + 11;
      return { item, at, level, y: 32 + level * 24 };
    });
}

/** Draw the items that have coordinates; returns null if there are none. */
export function map(evidence, width, open) {
  const placed = evidence.sorted.filter((item) => item.memory?.place?.latitude != null).reverse();
  if (!placed.length) return null;
  const height = Math.min(340, Math.max(220, width * 0.6));
  const view = frame(placed.map((item) => item.memory.place), width, height);
  const svg = plot(width, height, t("Map: {count} candidates between {south} and {north}, {west} and {east}.", { count: placed.length, south: degrees(view.south, "N", "S"), north: degrees(view.north, "N", "S"), west: degrees(view.west, "E", "W"), east: degrees(view.east, "E", "W") }));
  const step = nice((view.north - view.south) / 3);
  const digits = Math.max(0, Math.ceil(-Math.log10(step)));
  for (let lat = Math.ceil(view.south / step) * step; lat <= view.north; lat += step) {
    svg.append(s("line", { x1: 0, x2: width, y1: view.y(lat), y2: view.y(lat), class: "grid" }));
    if (view.y(lat) < height - 20) svg.append(s("text", { x: 4, y: view.y(lat) - 4 }, degrees(lat, "N", "S", digits)));
  }
  const wide = nice((view.east - view.west) / Math.max(2, Math.floor(width / 130)));
  for (let lon = Math.ceil(view.west / wide) * wide; lon <= view.east; lon += wide) {
    svg.append(s("line", { x1: view.x(lon), x2: view.x(lon), y1: 0, y2: height, class: "grid" }));
    if (view.x(lon) < width - 50) svg.append(s("text", { x: view.x(lon) + 4, y: height - 6 }, degrees(lon, "E", "W", Math.max(0, Math.ceil(-Math.log10(wide))))));
  }
  const named = new Set();
  for (const { item, x, y, lifted } of spread(placed, view)) {
    const { name } = item.memory.place;
    if (lifted) svg.append(s("line", { x1: x, x2: x, y1: y, y2: y + lifted, class: "stem" }));
    svg.append(dot(x, y, item, open));
    const side = x > width / 2 ? { x: x - 13, "text-anchor": "end" } : { x: x + 13 }; // away from the edge
    if (name && !named.has(name)) svg.append(s("text", { ...side, y: y + 4, class: "place" }, name));
    named.add(name);
  }
  svg.append(scale(view, width, height));
  return svg;
}

/** Where dots go: numbers that would cover each other stand above each other, the best at its place. */
function spread(items, view) {
  const taken = [];
  const at = (item) => ({ item, x: view.x(item.memory.place.longitude), y: view.y(item.memory.place.latitude), lifted: 0 });
  const ranked = items.filter((item) => item.rank).map(at).sort((a, b) => a.item.number - b.item.number);
  for (const point of ranked) {
    const covers = (other) => Math.abs(other.x - point.x) < 20 && Math.abs(other.y - point.y) < 20;
    while (taken.some(covers) && point.y > 30) [point.y, point.lifted] = [point.y - 21, point.lifted + 21];
    taken.push(point);
  }
  return [...items.filter((item) => !item.rank).map(at), ...ranked.reverse()];
}

/** Fit coordinates into a box, degrees of both kinds in proportion to kilometres. */
function frame(places, width, height) {
  const lats = places.map((place) => place.latitude);
  const lons = places.map((place) => place.longitude);
  const lat = (Math.min(...lats) + Math.max(...lats)) / 2;
  const lon = (Math.min(...lons) + Math.max(...lons)) / 2;
  const squeeze = Math.max(0.05, Math.cos((lat * Math.PI) / 180));
  const tall = Math.max(Math.max(...lats) - Math.min(...lats), ((Math.max(...lons) - Math.min(...lons)) * squeeze * height) / width, 0.004);
  const perPixel = (tall * 1.35) / height; // degrees of latitude
  return {
    perPixel,
    north: lat + (perPixel * height) / 2,
    south: lat - (perPixel * height) / 2,
    west: lon - (perPixel * width) / 2 / squeeze,
    east: lon + (perPixel * width) / 2 / squeeze,
    x: (degree) => width / 2 + ((degree - lon) * squeeze) / perPixel,
    y: (degree) => height / 2 - (degree - lat) / perPixel,
  };
}

function scale(view, width, height) {
  const km = nice(view.perPixel * KM_PER_DEGREE * 90);
  const long = km / (view.perPixel * KM_PER_DEGREE);
  const [right, y] = [width - 12, 18];
  const label = km < 1 ? `${Math.round(km * 1000)} m` : `${km} km`;
  return s("g", { class: "scale" }, s("path", { d: `M${right - long} ${y - 4} v4 h${long} v-4` }), s("text", { x: right, y: y + 15, "text-anchor": "end" }, label));
}

/** Round to 1, 2 or 5 times a power of ten. */
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].find((digit) => digit * power <= value) * power;
}

function degrees(value, above, below, digits = 2) {
  return `${Math.abs(value).toFixed(digits)}° ${value < 0 ? below : above}`;
}

function plot(width, height, label) {
  return s("svg", { class: "plot", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
}

/** A numbered dot for what was chosen, a small ring for the rest. The lists beside serve the keyboard. */
function dot(x, y, item, open) {
  const group = s("g", { class: `dot ${item.fate}`, transform: `translate(${x} ${y})`, "data-id": item.id, onclick: () => open(item.id) });
  group.append(s("title", {}, titleOf(item.memory)), s("circle", { r: item.rank ? 10 : 4 }));
  if (item.rank) group.append(s("text", { y: 4, "text-anchor": "middle" }, String(item.number)));
  return group;
}
