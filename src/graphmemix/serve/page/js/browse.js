// The archive to leaf through and to search, and the questions of before.

import { announce, byId, cut, dayAndTime, h, originOf, titleOf } from "./dom.js";
import { openMemory } from "./memory.js";

const PAGE = 24;
let latest = 0; // counts requests, so that a late reply does not cover a newer one
let pages = [""]; // the id that each page begins behind; the last is the one on show

/** Wire up the form of the archive view. */
export function setUpBrowsing(current, { onsession, onproblem }) {
  const again = () => browse(current(), onsession).catch(onproblem);
  byId("browse-form").addEventListener("submit", (event) => (event.preventDefault(), (pages = [""]), again()));
  byId("browse-form").addEventListener("change", (event) => event.target.id !== "words" && ((pages = [""]), again()));
  byId("session-off").addEventListener("click", () => (setSession(""), again()));
  byId("page-back").addEventListener("click", () => (pages.pop(), again()));
  byId("page-on").addEventListener("click", (event) => (pages.push(event.currentTarget.dataset.next), again()));
}

/** Show one session only; an empty name shows all. */
export function setSession(session) {
  byId("session").value = session ?? "";
  byId("session-box").hidden = !session;
  byId("session-name").textContent = session ?? "";
  pages = [""];
}

function chosen() {
  const at = (id, time) => byId(id).value && new Date(`${byId(id).value}T${time}`).toISOString();
  return {
    kind: byId("kind").value,
    session: byId("session").value,
    since: at("since", "00:00:00"),
    until: at("until", "23:59:59"),
    text: byId("words").value.trim(),
  };
}

/** Fill the view by what the form says. */
export async function browse(archive, onsession) {
  const { text, kind, session, since, until } = chosen();
  const mine = (latest += 1);
  byId("memories").setAttribute("aria-busy", "true");
  let memories;
  let next = null;
  if (text) {
    const filter = { kinds: kind ? [kind] : [], sessions: session ? [session] : [], since: since || null, until: until || null };
    memories = (await archive.search(text, filter, 100)).map((hit) => hit.memory);
  } else {
    const query = new URLSearchParams({ limit: PAGE });
    for (const [name, value] of Object.entries({ kind, session, since, until, after: pages.at(-1) })) if (value) query.set(name, value);
    ({ memories, next } = await archive.list(query));
  }
  if (mine !== latest) return;
  byId("memories").replaceChildren(...memories.map((memory) => card(memory, archive, onsession)));
  byId("memories").removeAttribute("aria-busy");
  byId("page-back").disabled = pages.length < 2 || Boolean(text);
  byId("page-on").disabled = !next;
  byId("page-on").dataset.next = next ?? "";
  byId("page-number").textContent = text ? `${memories.length} found` : `Page ${pages.length}`;
  announce(memories.length ? `${memories.length} memories on this page.` : "No memory matches.");
}

function card(memory, archive, onsession) {
  const picture = memory.media.find((medium) => medium.modality === "image" && medium.sha256);
  const image = picture && h("img", { alt: "", loading: "lazy", width: 96, height: 72 });
  if (picture) Promise.resolve(archive.preview(picture.sha256, 256)).then((url) => image.setAttribute("src", url), () => image.remove());
  const title = titleOf(memory);
  const stem = title.replace(/…$/, "");
  const more = cut(memory.text.trimStart().startsWith(stem) && !title.endsWith("…") ? memory.text.trimStart().slice(stem.length) : memory.text, 220);
  return h(
    "li",
    { class: "card" },
    image,
    h(
      "div",
      {},
      h("button", { class: "plain", type: "button", "data-id": memory.id, onclick: () => openMemory(memory.id, archive, { onsession }) }, title),
      h("div", { class: "faint" }, originOf(memory)),
      more ? h("p", {}, more) : null,
    ),
  );
}

/** List the questions of before. */
export async function listTraces(archive, link) {
  const traces = await archive.traces();
  byId("traces").replaceChildren(
    ...traces.map((trace) => {
      const asked = typeof trace.question === "string" ? trace.question : trace.question.text;
      const answer = typeof trace.answer === "string" ? trace.answer : trace.answer?.text;
      return h(
        "li",
        { class: "card" },
        h(
          "div",
          {},
          h("a", { href: link(trace.id) }, asked || "A picture"),
          h("div", { class: "faint" }, `${dayAndTime(new Date(trace.created_at))} · ${trace.memory_ids.length} memories`),
          answer ? h("p", {}, cut(answer, 220)) : h("p", { class: "faint" }, "Evidence only."),
        ),
      );
    }),
  );
  announce(traces.length ? `${traces.length} earlier questions.` : "No questions yet.");
}
