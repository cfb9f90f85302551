// Taking an answer elsewhere: as text with its sources, or as one file.

import { announce, h, originOf, titleOf } from "./dom.js";
import { citedParts } from "./model.js";
import { t } from "./words.js";

/** The answer as plain text, with a list of what it cites. */
export function withSources({ trace, ranks, items }) {
  const { answer, question } = trace;
  const text = citedParts(answer?.text ?? "", ranks).map((part) => part.ranks?.map((rank) => `[${rank}]`).join("") ?? part.text).join("");
  const cited = [...items.values()].filter((item) => item.isCited).sort((a, b) => a.rank - b.rank);
  const source = (item) => `[${item.rank}] ${titleOf(item.memory, item.id)} (${originOf(item.memory)})`;
  return [question.text, "", text, "", ...cited.map(source)].join("\n").trim();
}

/** Buttons to copy an answer and to save its page. */
export function sharing(evidence, archive) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(withSources(evidence));
      announce(t("Copied, with its sources."));
    } catch {
      announce(t("The browser does not allow copying here. Select the answer and copy it by hand."), true);
    }
  };
  const save = async () => {
    const address = URL.createObjectURL(await archive.page(evidence.trace.id));
    const link = h("a", { href: address, download: `answer-${evidence.trace.id}.html` });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    announce(t("Saved as one file. It holds the evidence in full: share it as you would share that."));
  };
  const saved = () => save().catch((problem) => announce(problem.message, true));
  return h("div", { class: "row share" }, h("button", { type: "button", id: "copy-answer", onclick: copy }, t("Copy with sources")), evidence.trace.id ? h("button", { type: "button", id: "save-answer", onclick: saved }, t("Save as one file")) : null);
}
