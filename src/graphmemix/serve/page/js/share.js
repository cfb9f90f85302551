// Taking an answer elsewhere: as text with its sources, or as one file.

import { announce, h, originOf, saveAs, titleOf } from "./dom.js";
import { citedParts } from "./model.js";
import { inWords } from "./problems.js";
import { t } from "./words.js";

/** The answer as plain text, with a list of what it cites. */
export function withSources({ trace, ranks, items }) {
  const { answer, question } = trace;
  const numberOf = (rank) => items.get(ranks.get(rank))?.number ?? rank;
  const text = citedParts(answer?.text ?? "", ranks).map((part) => part.ranks?.map((rank) => `[${numberOf(rank)}]`).join("") ?? part.text).join("");
  const cited = [...items.values()].filter((item) => item.isCited).sort((a, b) => a.number - b.number);
  const source = (item) => `[${item.number}] ${titleOf(item.memory, item.id)} (${originOf(item.memory)})`;
  return [question.text, "", text, "", ...cited.map(source)].join("\n").trim();
}

/** Buttons to copy an answer and to save its page, and other models to ask again with: `again(model)`. */
export function sharing(evidence, archive, models, again) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(withSources(evidence));
      announce(t("Copied, with its sources."));
    } catch {
      announce(t("The browser does not allow copying here. Select the answer and copy it by hand."), true);
    }
  };
  const save = async () => {
    saveAs(await archive.page(evidence.trace.id), `answer-${evidence.trace.id}.html`);
    announce(t("Saved as one file. It holds the evidence in full: share it as you would share that."));
  };
  const saved = () => save().catch((problem) => announce(inWords(problem), true));
  const others = models.length ? [...models.map((name) => [name, name]), ["", t("no model, quoted")]] : [];
  const choose = (event) => event.target.value !== "-" && again(event.target.value);
  const asking = h("select", { id: "ask-again", "aria-label": t("Ask again with"), onchange: choose }, h("option", { value: "-" }, t("Ask again with …")), others.map(([value, text]) => h("option", { value }, text)));
  return h("div", { class: "row share" }, others.length ? asking : null, h("button", { type: "button", id: "copy-answer", onclick: copy }, t("Copy with sources")), evidence.trace.id ? h("button", { type: "button", id: "save-answer", onclick: saved }, t("Save as one file")) : null);
}
