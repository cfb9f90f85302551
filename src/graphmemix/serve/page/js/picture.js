// A picture as part of a question: chosen, dropped or pasted, and what is known of it.

import { previewImage, posterOf } from "./cards.js";
import { announce, byId, cut, h, when } from "./dom.js";
import { inWords } from "./problems.js";
import { t } from "./words.js";

const MOST_BYTES = 11e6; // as base64 it has to fit the largest body that the server takes, 16 MiB
let picture = null; // {data, mime, caption}
let isSeen = true; // whether the archive's encoder sees pictures
let looking = null; // the AbortController of what asks about the picture

/** The pictures of the question. */
export const picturesAsked = () => (picture ? [picture] : []);

/** Say whether the encoder of the archive sees pictures. */
export function pictureIsSeen(seen) {
  isSeen = seen;
}

/** Wire up the button, the drop and the paste; `current()` returns the archive. */
export function setUpPicture(current) {
  const form = byId("ask-form");
  const file = byId("picture");
  byId("choose-picture").addEventListener("click", () => file.click());
  file.addEventListener("change", () => takePicture(file.files[0], current));
  byId("drop-picture").addEventListener("click", () => takePicture(null, current));
  form.addEventListener("paste", (event) => takeFrom(event, event.clipboardData, current));
  form.addEventListener("dragover", (event) => (event.preventDefault(), form.classList.add("over")));
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    form.classList.remove("over");
    takeFrom(event, event.dataTransfer, current);
    event.preventDefault(); // a file that is no picture must not replace the page
    event.stopPropagation(); // nor become part of the archive
  });
}

function takeFrom(event, transfer, current) {
  const found = [...transfer.files].find((one) => one.type.startsWith("image/"));
  if (!found && transfer.files.length) announce(t("Only pictures can be part of a question. Drop other files beside the question to bring them in."), true);
  if (!found) return;
  event.preventDefault();
  takePicture(found, current);
}

async function takePicture(file, current) {
  const shown = byId("picture-shown");
  URL.revokeObjectURL(shown.src);
  looking?.abort();
  picture = null;
  byId("picture-note").replaceChildren();
  if (!file) byId("picture").value = "";
  const fits = file && file.size <= MOST_BYTES;
  byId("picture-box").hidden = !fits;
  if (!fits) shown.removeAttribute("src");
  if (!fits) return file && announce(t("The picture is larger than 11 MB."), true);
  shown.src = URL.createObjectURL(file);
  shown.alt = t("Picture of the question: {name}", { name: file.name });
  const mine = (picture = { data: base64(new Uint8Array(await file.arrayBuffer())), mime: file.type, caption: "" });
  announce(t("Picture {name} is part of the question.", { name: file.name }));
  return describe(mine, current());
}

/** Say what is known of a picture: it goes along with the question where the encoder does not see pictures. */
async function describe(image, archive) {
  const note = byId("picture-note");
  const mine = (looking = new AbortController());
  note.replaceChildren(h("p", {}, t("Looking for the same picture, its text, its time and place …")));
  try {
    const { data, mime } = image;
    const found = await archive.picture({ data, mime }, mine.signal);
    if (picture !== image) return;
    if (!isSeen) image.caption = found.caption;
    note.replaceChildren(...noteOf(found, archive));
  } catch (problem) {
    if (problem.name !== "AbortError") note.replaceChildren(h("p", { class: "bad" }, inWords(problem)));
  }
}

function noteOf({ same, text, timestamp, place, caption }, archive) {
  const thumb = (memory) => posterOf(memory) && previewImage(posterOf(memory), archive, 256, { width: 32, height: 32 });
  const lines = [
    same.length ? h("li", {}, t("The same picture is in the archive."), " ", same.map(thumb)) : null,
    text ? h("li", {}, t("Text in it: {text}", { text: cut(text, 160) })) : null,
    timestamp || place ? h("li", {}, t("Taken: {what}", { what: [timestamp && when(timestamp), place?.name].filter(Boolean).join(", ") || t("at a place without a name") })) : null,
  ];
  const known = lines.filter(Boolean);
  const sees = isSeen
    ? t("The archive compares what pictures show.")
    : caption
      ? t("This archive does not see what pictures show. It asks with what is known of this one:")
      : t("This archive does not see what pictures show, and nothing is known of this one. Write what it shows, when or where.");
  return [h("p", {}, sees), known.length ? h("ul", {}, known) : ""];
}

function base64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
