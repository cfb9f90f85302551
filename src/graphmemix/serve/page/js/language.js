// Which language the page speaks: chosen, or that of the browser. A catalogue is fetched from the page's own files.

import { translateDocument, useCatalogue } from "./words.js";

const CHOSEN = "graphmemix.language";
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español" };

/** The code of the language in use. */
export function language() {
  const wanted = [localStorage.getItem(CHOSEN), ...navigator.languages.map((code) => code.slice(0, 2))];
  return wanted.find((code) => code in LANGUAGES) ?? "en";
}

/** Read the catalogue of the language, and translate what the document says. */
export async function loadLanguage() {
  const code = language();
  if (code === "en") return;
  const reply = await fetch(`words/${code}.json`);
  if (!reply.ok) return; // the page stays English
  useCatalogue(Object.entries(await reply.json()));
  document.documentElement.lang = code;
  translateDocument();
}

/** Choose a language, and begin again with it. */
export function setLanguage(code) {
  localStorage.setItem(CHOSEN, code);
  location.reload();
}
