// A message or mail among its neighbours, and quoted text folded away.

import { HOUR, cut, h, titleOf, when } from "./dom.js";
import { t } from "./words.js";

const AROUND = [12 * HOUR, 72 * HOUR, 30 * 24 * HOUR]; // wider until there are neighbours
const NEIGHBOURS = 4; // on each side
const LONGEST = 280; // characters of a neighbour
const QUOTED = /^\s*>/;
const HEAD = /^(on .{5,200} wrote:|am .{5,200} schrieb.{0,200}:|le .{5,200} a écrit\s?:|el .{5,200} escribió:|-{3,} ?(original|forwarded|ursprüngliche|weitergeleitete).*)$/i;

/** Split a text into [{text, quoted}]: what was written, and what it quotes. */
export function quotedParts(text) {
  const parts = [];
  let rest = false; // below the head of a quoted mail everything is quoted
  for (const line of text.split("\n")) {
    rest ||= HEAD.test(line.trim());
    const quoted = rest || QUOTED.test(line);
    if (parts.at(-1)?.quoted === quoted) parts.at(-1).text += `\n${line}`;
    else parts.push({ text: line, quoted });
  }
  return parts.filter((part) => part.text.trim());
}

/** The text of a memory, its quotations folded. */
export function foldedText(text) {
  const part = ({ text: words, quoted }) =>
    quoted ? h("details", { class: "quoted" }, h("summary", {}, t("Quoted text")), h("div", {}, words)) : h("div", {}, words.replace(/^\n+|\s+$/g, ""));
  return h("div", { class: "text", id: "memory-text" }, quotedParts(text).map(part));
}

/** What somebody wrote in a turn, without what it quotes; a mail has the same subject as those around it. */
function ownWords(memory) {
  const own = quotedParts(memory.text).filter((part) => !part.quoted).map((part) => part.text).join(" ").trim();
  const subject = String(memory.metadata.subject ?? "");
  return cut(subject && own.startsWith(subject) ? own.slice(subject.length) : own, LONGEST) || titleOf(memory);
}

/** What stands around a memory in its conversation; null if it is in none, or alone. */
export async function conversationOf(memory, host, follow) {
  if (!memory.session || !memory.timestamp || !host.list || !["message", "email"].includes(memory.kind)) return null;
  const at = Date.parse(memory.timestamp);
  let found = [];
  for (const span of AROUND) {
    const query = new URLSearchParams({ session: memory.session, since: new Date(at - span).toISOString(), until: new Date(at + span + 1).toISOString(), limit: 500 });
    found = (await host.list(query)).memories;
    if (found.length > 2 * NEIGHBOURS) break;
  }
  const here = found.findIndex((one) => one.id === memory.id);
  const shown = found.slice(Math.max(0, here - NEIGHBOURS), here + NEIGHBOURS + 1);
  if (shown.length < 2) return null;
  const turn = (one) =>
    h(
      "li",
      { class: one.id === memory.id ? "turn here" : "turn", "aria-current": one.id === memory.id && "true" },
      h("span", { class: "faint" }, [one.speaker, when(one.timestamp)].filter(Boolean).join(" · ")),
      one.id === memory.id ? h("div", {}, ownWords(one)) : h("button", { class: "plain", type: "button", onclick: () => follow(one.id) }, ownWords(one)),
    );
  return h("section", { "aria-labelledby": "conversation-heading" }, h("h3", { id: "conversation-heading" }, t("In its conversation")), h("ol", { class: "turns" }, shown.map(turn)));
}
