// One place to look after an archive: what answers, how large it is, keys, backup, language.

import { announce, byId, h, size } from "./dom.js";
import { counted, locale, t } from "./words.js";

/** Fill the view. */
export async function showSettings(archive, { hasKey, forgetKey, languages, language, setLanguage }) {
  const details = await archive.details();
  byId("settings").replaceChildren(
    models(details, archive),
    sizes(details),
    backup(),
    keys(hasKey, forgetKey),
    languageChoice(languages, language, setLanguage),
  );
}

function panel(id, title, ...children) {
  return h("section", { class: "panel", "aria-labelledby": `${id}-heading` }, h("h2", { id: `${id}-heading` }, t(title)), children);
}

function rows(entries) {
  return h("dl", {}, entries.filter(([, value]) => value).map(([name, value]) => [h("dt", {}, t(name)), h("dd", {}, value)]));
}

function models(details, archive) {
  const result = h("ul", { id: "test-result", "aria-live": "polite" });
  const line = (name, { ok, seconds, detail }) => h("li", { class: ok ? "good" : "bad" }, `${t(name)}: ${ok ? t("works, {seconds} s", { seconds: seconds.toFixed(2) }) : detail}`);
  const test = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    result.replaceChildren(h("li", {}, t("Trying …")));
    try {
      const { encoder, model } = await archive.test();
      result.replaceChildren(line("Encoder", encoder), model ? line("Model", model) : h("li", {}, t("No model is set: answers are quoted.")));
    } catch (problem) {
      result.replaceChildren(h("li", { class: "bad" }, problem.message));
    }
    button.disabled = false;
  };
  return panel(
    "models",
    "What answers",
    rows([
      ["Model", details.verifier_model || t("none: answers are quoted from memories")],
      ["Encoder", details.encoder],
      ["Pictures in questions", details.sees_images ? t("are seen") : t("are not seen by this encoder; write what they show")],
      ["Profile", details.profile],
    ]),
    details.verifier_model ? null : h("p", { class: "faint" }, t("To have answers written by a model, start the server with --set model.base_url=ADDRESS --set model.name=NAME.")),
    h("p", {}, h("button", { type: "button", id: "test-models", onclick: test }, t("Try them"))),
    result,
  );
}

function sizes({ stats, pending, writable }) {
  return panel(
    "sizes",
    "This archive",
    rows([
      ["Memories", stats.memories.toLocaleString(locale())],
      ["Files", `${stats.media_files.toLocaleString(locale())} (${size(stats.media_bytes)})`],
      ["Database", size(stats.database_bytes)],
      ["Not searchable yet", pending ? counted(pending, "{count} memory", "{count} memories") : ""],
      ["Open for", writable ? t("reading and writing") : t("reading only")],
    ]),
  );
}

function backup() {
  const command = (text, what) => [h("dt", {}, t(what)), h("dd", {}, h("code", {}, text))];
  return panel("backup", "Backup and export", h("p", { class: "faint" }, t("In a terminal, also while the server runs:")), h("dl", {}, command("graphmemix backup ARCHIVE FOLDER", "A copy that can be opened"), command("graphmemix export ARCHIVE FOLDER", "Everything as text")));
}

function keys(hasKey, forgetKey) {
  const none = h("p", {}, t("This server asks for no key: only programs on this machine reach it."));
  const used = h("p", {}, t("This tab uses a key. It is kept only until the tab is closed."), " ", h("button", { type: "button", id: "key-forget", onclick: forgetKey }, t("Forget it")));
  return panel("keys", "Access", hasKey ? used : none);
}

function languageChoice(languages, language, setLanguage) {
  const options = Object.entries(languages).map(([code, name]) => h("option", { value: code, selected: code === language, lang: code }, name));
  const select = h("select", { id: "language", onchange: (event) => (setLanguage(event.target.value), announce("")) }, options);
  return panel("language", "Language", h("p", {}, h("label", { for: "language" }, t("Of this page"), " ", select)));
}
