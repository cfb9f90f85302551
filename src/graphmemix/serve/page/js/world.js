// The map of an archive: outlines of land and borders from the package (Natural Earth), places as circles. Nothing is fetched from elsewhere.

import { h, s, shortPlace } from "./dom.js";
import { boxAround } from "./filters.js";
import { counted, t } from "./words.js";

const PER_DEGREE = 20; // units of the outlines
const TOGETHER = 34; // px: places that are closer are one circle
const [WIDTH, HEIGHT] = [1000, 560];
const NORTH = 80; // degrees, where Mercator's map ends
let outlines = null;

const mercator = (latitude) => (Math.log(Math.tan(Math.PI / 4 + (Math.max(-NORTH, Math.min(NORTH, latitude)) * Math.PI) / 360)) * 180) / Math.PI;

/** Lines of the outlines as the path of an SVG, in degrees of longitude and Mercator's degrees. */
function pathOf(lines, closed) {
  const one = (line) => {
    let [x, y] = line;
    const points = [`M${x / PER_DEGREE} ${(-mercator(y / PER_DEGREE)).toFixed(2)}`];
    for (let i = 2; i < line.length; i += 2) {
      [x, y] = [x + line[i], y + line[i + 1]];
      points.push(`L${x / PER_DEGREE} ${(-mercator(y / PER_DEGREE)).toFixed(2)}`);
    }
    return points.join("") + (closed ? "Z" : "");
  };
  return lines.map(one).join("");
}

async function readOutlines() {
  outlines ??= fetch("outlines.json").then((reply) => reply.json()).then(({ land, borders }) => ({ land: pathOf(land, true), borders: pathOf(borders, false) }));
  return outlines;
}

export class World {
  /** Draw into `place`; `onchoose({name, box})` is called for a circle. */
  constructor(place, onchoose) {
    Object.assign(this, { place, onchoose, places: [] });
    this.ground = s("g", { class: "ground" });
    this.circles = s("g", {});
    this.svg = s("svg", { class: "world", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": t("Map of the archive") }, this.ground, this.circles);
    const button = (text, label, act) => h("button", { type: "button", "aria-label": label, onclick: act }, text);
    place.replaceChildren(
      this.svg,
      h("div", { class: "zoom" }, button("+", t("Closer"), () => this.zoom(2)), button("−", t("Farther"), () => this.zoom(0.5)), button(t("All"), t("Show all places"), () => this.fit())),
    );
    this.svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.#drag();
  }

  /** Show places: [{name, latitude, longitude, memories}]. */
  async show(places) {
    this.places = places.map((one) => ({ ...one, x: one.longitude, y: -mercator(one.latitude) }));
    if (!this.ground.firstChild) {
      const { land, borders } = await readOutlines();
      this.ground.replaceChildren(s("path", { d: land, class: "land" }), s("path", { d: borders, class: "borders" }));
    }
    this.fit();
  }

  /** Show all places, and a little around them. */
  fit() {
    const xs = this.places.map((one) => one.x);
    const ys = this.places.map((one) => one.y);
    if (!xs.length) [xs[0], xs[1], ys[0], ys[1]] = [-170, 180, -120, 80];
    const span = (values) => Math.max(...values) - Math.min(...values);
    this.centre = [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
    this.scale = Math.min((WIDTH * 0.8) / Math.max(span(xs), 1.2), (HEIGHT * 0.75) / Math.max(span(ys), 1.2));
    this.#draw();
  }

  /** Come closer by a factor, towards a point of the map. */
  zoom(factor, at = this.centre) {
    const scale = Math.max(2.4, Math.min(4000, this.scale * factor));
    const moved = 1 - this.scale / scale;
    this.centre = this.centre.map((value, i) => value + (at[i] - value) * moved);
    this.scale = scale;
    this.#draw();
  }

  /** The wheel alone scrolls the page; with Ctrl, as pinching a touchpad sends it, it zooms. */
  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.zoom(event.deltaY < 0 ? 1.3 : 1 / 1.3, this.#at(event));
  }

  /** Units of the drawing in a pixel: circles keep their size on the screen. */
  get #unit() {
    return Math.max(1, WIDTH / (this.svg.clientWidth || WIDTH));
  }

  #at(event) {
    const box = this.svg.getBoundingClientRect();
    const [x, y] = [((event.clientX - box.x) / box.width) * WIDTH, ((event.clientY - box.y) / box.height) * HEIGHT];
    return [this.centre[0] + (x - WIDTH / 2) / this.scale, this.centre[1] + (y - HEIGHT / 2) / this.scale];
  }

  #drag() {
    let from = null;
    this.svg.addEventListener("pointerdown", (event) => (from = event.target.closest(".circle") ? null : this.#at(event)));
    this.svg.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) return;
      const to = this.#at(event);
      this.centre = this.centre.map((value, i) => value + from[i] - to[i]);
      this.#draw();
    });
    addEventListener("pointerup", () => (from = null));
  }

  #draw() {
    const { scale, centre } = this;
    const [dx, dy] = [WIDTH / 2 - centre[0] * scale, HEIGHT / 2 - centre[1] * scale];
    this.ground.setAttribute("transform", `translate(${dx} ${dy}) scale(${scale})`);
    this.circles.replaceChildren(...this.#groups(dx, dy).map((group) => this.#circle(group)));
  }

  /** Put places that would cover each other together, those with most memories first. */
  #groups(dx, dy) {
    const groups = [];
    const near = TOGETHER * this.#unit;
    for (const one of [...this.places].sort((a, b) => b.memories - a.memories)) {
      const [x, y] = [one.x * this.scale + dx, one.y * this.scale + dy];
      if (x < -20 || x > WIDTH + 20 || y < -20 || y > HEIGHT + 20) continue;
      const group = groups.find((other) => Math.hypot(other.x - x, other.y - y) < near);
      if (group) group.members.push(one);
      else groups.push({ x, y, members: [one] });
    }
    return groups;
  }

  #circle({ x, y, members }) {
    const count = members.reduce((sum, one) => sum + one.memories, 0);
    const names = [...new Set(members.map((one) => one.name).filter(Boolean))];
    const name = names.length > 2 ? t("{name} and around", { name: names[0] }) : names.join(", ");
    const label = `${name || t("a place")}: ${counted(count, "{count} memory", "{count} memories")}`;
    const radius = Math.min(26, 9 + Math.sqrt(count) * 1.6);
    const choose = () => this.onchoose({ name, box: boxAround(members) });
    const circle = s("g", { class: "circle", role: "button", tabindex: 0, "aria-label": label, transform: `translate(${x} ${y}) scale(${this.#unit})`, onclick: choose });
    circle.addEventListener("keydown", (event) => ["Enter", " "].includes(event.key) && (event.preventDefault(), choose()));
    circle.append(s("title", {}, label), s("circle", { r: radius }), s("text", { y: 4, "text-anchor": "middle" }, count > 999 ? `${Math.round(count / 1000)}k` : String(count)));
    if (name && this.#unit < 2) circle.append(s("text", { y: radius + 13, "text-anchor": "middle", class: "place" }, shortPlace(names[0])));
    return circle;
  }
}
