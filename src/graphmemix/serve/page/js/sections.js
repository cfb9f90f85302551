// A long list in sections, one for each month. Only those near the window are filled; the others keep their height.

import { byId, dateFormat, h } from "./dom.js";
import { t } from "./words.js";

const NEAR = "900px"; // beyond the window on both sides
const MOST_MARKS = 14;
const SHORT = dateFormat({ month: "short" });
const MONTH = dateFormat({ month: "long", year: "numeric" });

/** The name of a month such as 2023-07. */
export const monthName = (month) => MONTH(new Date(`${month}-15T00:00:00Z`));

/** From the first moment of a month to that of the next. */
export function monthBounds(month) {
  const [year, number] = month.split("-").map(Number);
  const at = (y, m) => `${String(y).padStart(4, "0")}-${String(m).padStart(2, "0")}-01T00:00:00+00:00`;
  return { since: at(year, number), until: number === 12 ? at(year + 1, 1) : at(year, number + 1) };
}

export class Sections {
  /** `fill(month, body, isWanted)` puts a month's contents into its body; `guess(count)` is their height in pixels. */
  constructor(place, scrubber, { fill, guess, onproblem }) {
    Object.assign(this, { place, scrubber, fill, guess, onproblem });
    this.watcher = new IntersectionObserver((entries) => entries.forEach((entry) => this.#seen(entry)), { rootMargin: `${NEAR} 0px` });
    addEventListener("scroll", () => this.#follow(), { passive: true });
    scrubber.addEventListener("input", () => {
      this.#name(Number(scrubber.value));
      this.goTo(this.months[Number(scrubber.value)]?.month);
    });
  }

  /** Show months, newest first: [{month, count}]. */
  show(months) {
    this.watcher.disconnect();
    this.months = [...months].reverse();
    this.parts = this.months.map(({ month, count }) => {
      const body = h("div", { class: "month-body" });
      body.style.minHeight = `${this.guess(count)}px`;
      return h("section", { class: "month", "data-month": month, "aria-label": monthName(month) }, h("h2", {}, monthName(month)), body);
    });
    this.place.replaceChildren(...this.parts);
    this.parts.forEach((part) => this.watcher.observe(part));
    this.scrubber.max = Math.max(0, this.months.length - 1);
    this.scrubber.value = 0;
    this.#drawYears();
    this.#name(0);
  }

  /** Scroll to a month, or to the latest of a year. */
  goTo(time) {
    const at = this.months.findIndex(({ month }) => time && month.startsWith(time));
    if (at >= 0) this.parts[at].scrollIntoView({ block: "start" });
  }

  async #seen({ target, isIntersecting }) {
    const body = target.lastChild;
    if (!isIntersecting) {
      if (!target.filled) return;
      body.style.minHeight = `${body.offsetHeight}px`; // so that nothing moves
      body.replaceChildren();
      target.filled = false;
      return;
    }
    if (target.filled) return;
    target.filled = true;
    try {
      await this.fill(target.dataset.month, body, () => target.filled && target.isConnected);
      if (target.filled) body.style.minHeight = "";
    } catch (problem) {
      target.filled = false;
      this.onproblem(problem);
    }
  }

  #follow() {
    if (!this.parts?.length || this.place.offsetParent === null || this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const at = this.parts.findIndex((part) => part.getBoundingClientRect().bottom > 120);
      if (at < 0 || document.activeElement === this.scrubber) return;
      this.scrubber.value = at;
      this.#name(at);
    });
  }

  #name(at) {
    const month = this.months[at]?.month;
    this.scrubber.setAttribute("aria-valuetext", month ? monthName(month) : t("nothing"));
    byId("scrubber-month").textContent = month ? monthName(month) : "";
  }

  /** The years beside the scrubber, each where its latest month is; of a few months each. */
  #drawYears() {
    const marks = new Map();
    const name = (month) => (this.months.length > MOST_MARKS ? month.slice(0, 4) : SHORT(new Date(`${month}-15T00:00:00Z`)));
    this.months.forEach(({ month }, i) => marks.has(name(month)) || marks.set(name(month), i));
    const mark = ([text, at]) => {
      const place = h("span", {}, text);
      place.style.top = `${(at / Math.max(1, this.months.length - 1)) * 100}%`;
      return place;
    };
    const every = Math.ceil(marks.size / MOST_MARKS); // more would cover each other
    byId("scrubber-years").replaceChildren(...[...marks].filter((_, i) => i % every === 0).map(mark));
  }
}
