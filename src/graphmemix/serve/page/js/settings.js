// One place to look after an archive: what answers, how large it is, jobs, keys, backup, language.

import { accessTo } from "./access.js";
import { announce, byId, h, saveAs, size } from "./dom.js";
import { inWords } from "./problems.js";
import { counted, locale, t } from "./words.js";

/** Fill the view. */
export async function showSettings(archive, { languages, language, setLanguage, jobsAt, ...access }) {
  const [details, jobs, reachable] = await Promise.all([archive.details(), archive.jobs(), accessTo(access)]);
  byId("settings").replaceChildren(
    models(details, archive),
    sizes(details, jobs, jobsAt),
    panel("backup", "Backup and export", backup(archive)),
    panel("keys", "Access", reachable),
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
      result.replaceChildren(h("li", { class: "bad" }, inWords(problem)));
    }
    button.disabled = false;
  };
  return panel(
    "models",
    "What answers",
    rows([
      ["Model", details.verifier_model || t("none: answers are quoted from memories")],
      ["Other models", details.models.slice(1).join(", ")],
      ["Encoder", details.encoder],
      ["Pictures in questions", details.sees_images ? t("what they show is compared") : t("found by the same picture, its text, time and place")],
      ["Profile", details.profile],
    ]),
    details.verifier_model ? null : h("p", { class: "faint" }, t("To have answers written by a model, start the server with --set model.base_url=ADDRESS --set model.name=NAME.")),
    h("p", {}, h("button", { type: "button", id: "test-models", onclick: test }, t("Try them"))),
    result,
  );
}

function sizes({ stats, pending, writable }, jobs, jobsAt) {
  const running = jobs.filter((job) => ["queued", "running"].includes(job.state)).length;
  const stopped = jobs.filter((job) => ["interrupted", "stopped", "failed"].includes(job.state)).length;
  const doing = [running ? counted(running, "{count} under way", "{count} under way") : "", stopped ? counted(stopped, "{count} not finished", "{count} not finished") : ""].filter(Boolean).join(", ");
  return panel(
    "sizes",
    "This archive",
    rows([
      ["Memories", stats.memories.toLocaleString(locale())],
      ["Files", `${stats.media_files.toLocaleString(locale())} (${size(stats.media_bytes)})`],
      ["Database", size(stats.database_bytes)],
      ["Found by meaning", pending ? t("{done} of {total}; the rest is being encoded and found by its words meanwhile", { done: (stats.memories - pending).toLocaleString(locale()), total: stats.memories.toLocaleString(locale()) }) : t("all of them")],
      ["Jobs", h("a", { href: jobsAt }, doing || t("none under way"))],
      ["Open for", writable ? t("reading and writing") : t("reading only")],
    ]),
  );
}

function backup(archive) {
  const note = h("p", { class: "faint", role: "status" });
  const save = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    note.textContent = t("Collecting everything …");
    try {
      saveAs(await archive.everything(), `${archive.name}.zip`);
      note.textContent = t("Saved. “graphmemix import” reads the unpacked folder into an archive.");
    } catch (problem) {
      note.textContent = inWords(problem);
    }
    button.disabled = false;
  };
  const command = (text, what) => [h("dt", {}, t(what)), h("dd", {}, h("code", {}, text))];
  return [
    h("p", {}, h("button", { type: "button", id: "save-everything", onclick: save }, t("Save everything as a zip"))),
    note,
    h("p", { class: "faint" }, t("Of a large archive better in a terminal, also while the server runs:")),
    h("dl", {}, command("graphmemix backup ARCHIVE FOLDER", "A copy that can be opened"), command("graphmemix export ARCHIVE FOLDER", "Everything as text")),
  ];
}

function languageChoice(languages, language, setLanguage) {
  const options = Object.entries(languages).map(([code, name]) => h("option", { value: code, selected: code === language, lang: code }, name));
  const select = h("select", { id: "language", onchange: (event) => (setLanguage(event.target.value), announce("")) }, options);
  return panel("language", "Language", h("p", {}, h("label", { for: "language" }, t("Of this page"), " ", select)));
}
