// A picture as part of a question: chosen, dropped or pasted.

import { announce, byId } from "./dom.js";
import { t } from "./words.js";

const MOST_BYTES = 11e6; // as base64 it has to fit the largest body that the server takes, 16 MiB
let picture = null; // {data, mime}
let reads = true; // whether the archive's encoder sees pictures

/** The pictures of the question. */
export const picturesAsked = () => (picture ? [picture] : []);

/** Say whether the encoder of the archive sees pictures. */
export function pictureIsSeen(seen) {
  reads = seen;
}

/** Wire up the button, the drop and the paste. */
export function setUpPicture() {
  const form = byId("ask-form");
  const file = byId("picture");
  byId("choose-picture").addEventListener("click", () => file.click());
  file.addEventListener("change", () => takePicture(file.files[0]));
  byId("drop-picture").addEventListener("click", () => takePicture(null));
  form.addEventListener("paste", (event) => takeFrom(event, event.clipboardData));
  form.addEventListener("dragover", (event) => (event.preventDefault(), form.classList.add("over")));
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    form.classList.remove("over");
    takeFrom(event, event.dataTransfer);
    event.preventDefault(); // a file that is no picture must not replace the page
    event.stopPropagation(); // nor become part of the archive
  });
}

function takeFrom(event, transfer) {
  const found = [...transfer.files].find((one) => one.type.startsWith("image/"));
  if (!found && transfer.files.length) announce(t("Only pictures can be part of a question. Drop other files beside the question to bring them in."), true);
  if (!found) return;
  event.preventDefault();
  takePicture(found);
}

async function takePicture(file) {
  const shown = byId("picture-shown");
  URL.revokeObjectURL(shown.src);
  picture = null;
  if (!file) byId("picture").value = "";
  const fits = file && file.size <= MOST_BYTES;
  byId("picture-box").hidden = !fits;
  if (!fits) shown.removeAttribute("src");
  if (!fits) return file && announce(t("The picture is larger than 11 MB."), true);
  shown.src = URL.createObjectURL(file);
  shown.alt = t("Picture of the question: {name}", { name: file.name });
  byId("picture-note").textContent = reads ? "" : t("The encoder of this archive does not see pictures: write also what it shows, when or where.");
  picture = { data: base64(new Uint8Array(await file.arrayBuffer())), mime: file.type };
  return announce(t("Picture {name} is part of the question.", { name: file.name }));
}

function base64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
