// Changing and erasing a memory: text, time, place; the receipt of what is gone.

import { byId, h } from "./dom.js";
import { inWords } from "./problems.js";
import { counted, t } from "./words.js";

const ZONE = /(Z|[+-]\d\d:\d\d)$/;

/** Buttons to edit and erase; `ondone(message)` is called after a change was saved. */
export function changing(memory, host, ondone) {
  const place = h("div", { class: "changing" });
  const show = (...children) => place.replaceChildren(...children);
  const buttons = () =>
    show(
      h("div", { class: "row" }, h("button", { type: "button", id: "edit-memory", onclick: () => show(editor(memory, host, ondone, buttons)) }, t("Edit")), h("button", { type: "button", id: "erase-memory", onclick: () => show(eraser(memory, host, ondone, buttons)) }, t("Erase"))),
    );
  buttons();
  return place;
}

function editor(memory, host, ondone, back) {
  const zone = memory.timestamp?.match(ZONE)?.[0].replace("Z", "+00:00") ?? "";
  const text = h("textarea", { id: "edit-text", rows: 6 });
  text.value = memory.text;
  const time = h("input", { id: "edit-time", type: "datetime-local", step: 1 });
  time.value = memory.timestamp?.slice(0, 19) ?? "";
  const where = h("input", { id: "edit-place", type: "text", value: memory.place?.name ?? "" });
  const fault = h("p", { class: "bad", role: "alert" });
  const save = async (event) => {
    event.preventDefault();
    const stamp = time.value && `${time.value.length === 16 ? `${time.value}:00` : time.value}${zone || offsetHere(time.value)}`;
    const spot = where.value.trim() || memory.place?.latitude != null ? { latitude: null, longitude: null, ...memory.place, name: where.value.trim() } : null;
    try {
      const { version } = await host.update({ ...memory, text: text.value, timestamp: stamp || null, place: spot });
      ondone(t("Saved as version {version}.", { version }), memory.id);
    } catch (problem) {
      fault.textContent = inWords(problem);
    }
  };
  return h(
    "form",
    { class: "editor", onsubmit: save },
    h("label", { for: "edit-text" }, t("Text")),
    text,
    h("label", { for: "edit-time" }, t("When"), zone ? ` (${zone})` : ""),
    time,
    h("label", { for: "edit-place" }, t("Where")),
    where,
    fault,
    h("div", { class: "row" }, h("button", { class: "main", type: "submit" }, t("Save")), h("button", { type: "button", onclick: back }, t("Cancel"))),
  );
}

/** The offset that clocks here have at a time, such as +02:00. */
function offsetHere(local) {
  const minutes = -new Date(local).getTimezoneOffset();
  const two = (value) => String(Math.floor(Math.abs(value))).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

function eraser(memory, host, ondone, back) {
  const fault = h("p", { class: "bad", role: "alert" });
  const erase = async () => {
    try {
      const receipt = await host.erase(memory.id);
      byId("drawer-body").replaceChildren(receiptOf(receipt));
      ondone(t("Erased."), null);
    } catch (problem) {
      fault.textContent = inWords(problem);
    }
  };
  return h(
    "div",
    { class: "eraser", role: "group", "aria-label": t("Erase") },
    h("p", {}, t("Erase this memory for good? Its versions, files, vectors, links and the questions that cite it go with it. Your original file stays where it is.")),
    fault,
    h("div", { class: "row" }, h("button", { class: "main danger", type: "button", id: "erase-really", onclick: erase }, t("Erase it")), h("button", { type: "button", onclick: back }, t("Keep it"))),
  );
}

function receiptOf(receipt) {
  const rows = [
    counted(receipt.memories, "{count} memory", "{count} memories"),
    counted(receipt.versions, "{count} earlier version", "{count} earlier versions"),
    counted(receipt.media_files, "{count} file", "{count} files"),
    counted(receipt.vectors, "{count} vector", "{count} vectors"),
    counted(receipt.edges, "{count} link", "{count} links"),
    counted(receipt.logs, "{count} saved question", "{count} saved questions"),
  ];
  const done = receipt.purged ? t("Nothing of it is left in the database file.") : t("The rest of its bytes goes when the archive is next opened for writing.");
  return h("section", { id: "receipt", "aria-labelledby": "receipt-heading" }, h("h3", { id: "receipt-heading" }, t("Erased. The receipt:")), h("ul", {}, rows.map((row) => h("li", {}, row))), h("p", {}, done));
}
