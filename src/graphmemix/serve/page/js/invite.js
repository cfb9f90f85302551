// What an empty archive shows: where to drop files, the sample, and how to get an export out of other programs.

import { h } from "./dom.js";
import { t } from "./words.js";

const EXPORTS = {
  WhatsApp: "Open a chat, then its menu: More, Export chat. With media you get a zip, without it a text file. Either can be dropped here.",
  "Google (Photos, Gmail, Calendar)": "At takeout.google.com choose what you want, then Create export. Drop the zips here as they are; photos keep their times and places.",
  "Apple (Photos, Mail, Messages)": "Photos: select, then File, Export, Export Unmodified Originals, with XMP. Mail: select a mailbox, then Mailbox, Export Mailbox. Or ask for a copy of your data at privacy.apple.com and drop the zips.",
  "Mail": "Any mbox file or folder of .eml files: Thunderbird, Apple Mail and Gmail all write them.",
};

/** How to export from other programs, as a list that opens. */
export function exportHelp() {
  const entry = ([name, text]) => h("details", {}, h("summary", {}, t(name)), h("p", {}, t(text)));
  return h("section", { "aria-labelledby": "export-heading" }, h("h3", { id: "export-heading" }, t("How to get your data out of other programs")), Object.entries(EXPORTS).map(entry));
}

/** The invitation of an empty archive. `bring`: {canWrite, dropZone(), trySample()}. */
export function invitation(bring) {
  if (!bring.canWrite)
    return h("section", { class: "panel" }, h("h2", {}, t("This archive is empty")), h("p", {}, t("It is open for reading only. Start the server without --read-only, or use a key that may write, to bring files in.")));
  return h(
    "section",
    { class: "panel", "aria-labelledby": "invite-heading" },
    h("h2", { id: "invite-heading" }, t("This archive is empty: bring something in")),
    h("p", { class: "faint" }, t("Everything stays on this machine. Nothing is sent anywhere.")),
    bring.dropZone(),
    h("p", { class: "row" }, h("button", { type: "button", id: "try-sample", onclick: bring.trySample }, t("Try it with a sample")), h("span", { class: "faint" }, t("a year of an invented household"))),
    exportHelp(),
  );
}
