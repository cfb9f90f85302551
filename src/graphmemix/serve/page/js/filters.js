// What to look at: kind, person, place, time. A form that opens, and a chip for everything that is set.

import { day, h } from "./dom.js";
import { t } from "./words.js";

const MARGIN = 0.02; // degrees around a place, about two kilometres

/** The box around points, as south, west, north, east. */
export function boxAround(points) {
  const within = (value, bound) => Math.max(-bound, Math.min(bound, value));
  const [lats, lons] = [points.map((one) => one.latitude), points.map((one) => one.longitude)];
  return [
    within(Math.min(...lats) - MARGIN, 90),
    within(Math.min(...lons) - MARGIN, 180),
    within(Math.max(...lats) + MARGIN, 90),
    within(Math.max(...lons) + MARGIN, 180),
  ];
}

export class Filters {
  /** Put the filters into `place`; call `onchange()` after every change. `asOf`: whether one may ask as of a day. */
  constructor(place, name, onchange, { asOf = false } = {}) {
    this.values = {};
    this.onchange = onchange;
    const field = (key, label, control) => {
      control.id = `${name}-${key}`;
      control.addEventListener("change", () => this.set(key, control.type === "date" ? control.value : this.options?.[key]?.get(control.value) ?? control.value));
      return [key, control, h("label", { for: control.id }, t(label), " ", control)];
    };
    const select = () => h("select", {}, h("option", { value: "" }, t("all")));
    const date = () => h("input", { type: "date" });
    const fields = [
      field("kind", "Kind", select()),
      field("speaker", "Person", select()),
      field("place", "Place", select()),
      field("since", "From", date()),
      field("until", "To", date()),
      ...(asOf ? [field("as_of", "As of", date())] : []),
    ];
    this.controls = new Map(fields.map(([key, control]) => [key, control]));
    this.chips = h("ul", { class: "chips", "aria-label": t("Filters in use") });
    this.form = h("details", { class: "filters" }, h("summary", {}, t("Filter")), h("div", { class: "row" }, fields.map(([, , label]) => label)));
    place.replaceChildren(this.form, this.chips);
  }

  /** Offer the kinds, people and places of an archive. */
  offer({ kinds, people, places }) {
    const named = new Map();
    for (const one of places) if (one.name && !named.has(one.name)) named.set(one.name, one);
    this.options = { place: new Map([...named].map(([name, one]) => [name, { name, box: boxAround([one]) }])) };
    const fill = (key, values, words = (value) => value) => {
      const options = values.map((value) => h("option", { value }, words(value)));
      this.controls.get(key).replaceChildren(h("option", { value: "" }, t("all")), ...options);
    };
    fill("kind", kinds, t);
    fill("speaker", people.map((person) => person.name));
    fill("place", [...named.keys()].sort((a, b) => a.localeCompare(b)));
    this.#show();
  }

  /** Set one value; an empty one removes it. */
  set(key, value, { silent = false } = {}) {
    if (value) this.values[key] = value;
    else delete this.values[key];
    this.#show();
    if (!silent) this.onchange();
  }

  /** Remove all values, without a word. */
  clear() {
    this.values = {};
    this.#show();
  }

  #show() {
    for (const [key, control] of this.controls) control.value = this.values[key]?.name ?? this.values[key] ?? "";
    const chip = ([key, value]) =>
      h("li", {}, h("button", { type: "button", class: "chip", "data-key": key, "aria-label": t("Remove the filter {name}", { name: this.#words(key, value) }), onclick: () => this.set(key, "") }, this.#words(key, value), h("span", { "aria-hidden": "true" }, " ×")));
    this.chips.replaceChildren(...Object.entries(this.values).map(chip));
  }

  #words(key, value) {
    const date = () => day(new Date(`${value}T00:00:00Z`));
    const words = {
      kind: () => t(value),
      since: () => t("from {day}", { day: date() }),
      until: () => t("to {day}", { day: date() }),
      as_of: () => t("as of {day}", { day: date() }),
      place: () => value.name || t("on the map"),
      session: () => value,
      speaker: () => value,
    };
    return words[key]();
  }

  /** As the body of a search or a question has it; null if nothing is set. */
  get filter() {
    const { kind, speaker, place, session, since, until } = this.values;
    const [south, west, north, east] = place?.box ?? [];
    const filter = {
      ...(kind && { kinds: [kind] }),
      ...(speaker && { speakers: [speaker] }),
      ...(session && { sessions: [session] }),
      ...(since && { since: moment(since, "00:00:00") }),
      ...(until && { until: moment(until, "23:59:59") }),
      ...(place && { place: { south, west, north, east } }),
    };
    return Object.keys(filter).length ? filter : null;
  }

  /** As the address of a list has it. */
  get query() {
    const { kind, speaker, place, session, since, until } = this.values;
    const entries = { kind, speaker, session, since: moment(since, "00:00:00"), until: moment(until, "23:59:59"), box: place?.box.join(",") };
    return new URLSearchParams(Object.entries(entries).filter(([, value]) => value));
  }

  /** The moment that a question is asked as of. */
  get asOf() {
    return moment(this.values.as_of, "23:59:59");
  }
}

/** A day of a clock here, and a time, as a moment; nothing stays nothing. */
export function moment(date, time) {
  return date ? new Date(`${date}T${time}`).toISOString() : "";
}
