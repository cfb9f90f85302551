// Why memories were chosen, in plain words: what a link adds, and one sentence for all of them.

import { counted, t } from "./words.js";

const ADDS = {
  new_fact: "adds: {what}",
  clarification: "explains it: {what}",
  corroboration: "confirms it: {what}",
  redundant: "repeats it: {what}",
  conflict: "contradicts it: {what}",
};

const KINDS = {
  message: "a message",
  email: "an email",
  photo: "a photo",
  video: "a video",
  audio: "a recording",
  document: "a document",
  event: "a calendar entry",
  contact: "a contact",
  profile: "a profile",
  note: "a note",
};

// The most telling relation first: two memories may be related in several ways. A pair: later, and earlier than the other.
const RELATIONS = {
  reply_to: ["the answer to it", "what it answers"],
  attachment_of: "{kind} that came with it",
  same_identifier: "{kind} with the same number",
  same_record: "{kind} about the same order or trip",
  same_document: "another part of the same document",
  record_grounding: "{kind} of the day that is written about",
  within: "{kind} of those days",
  same_round: "{kind} of the same exchange",
  consecutive_turn: ["what was written next", "what was written before"],
  event_bridge: "{kind} of the same occasion",
  episode: "{kind} of the same day",
  about: "{kind} about the same days", // an episode of one that was made at another time
  semantic: "{kind} about something similar",
};

/** What a memory adds to the one that it hangs on, such as "adds: an email of those days". */
export function linkPhrase(memory, other, { role, relations }) {
  const kind = t(KINDS[memory?.kind] ?? "a memory");
  const name = Object.keys(RELATIONS).find((each) => relations.includes(each));
  const relation = RELATIONS[name === "episode" && !areOfOneDay(memory, other) ? "about" : name];
  const isLater = Date.parse(memory?.timestamp) >= Date.parse(other?.timestamp);
  const what = relation ? t(Array.isArray(relation) ? relation[isLater ? 0 : 1] : relation, { kind }) : kind;
  return t(ADDS[role] ?? "{what}", { what });
}

const areOfOneDay = (memory, other) => Boolean(memory?.timestamp) && memory.timestamp.slice(0, 10) === other?.timestamp?.slice(0, 10);

/** One sentence: how many were chosen from how many, and why. */
export function whyThese({ trace, sorted }) {
  const chosen = sorted.filter((item) => item.rank);
  const linked = chosen.filter((item) => item.node?.parent_id).length;
  const first = t("Of {all} memories that could matter, these {count} say most about the question together.", {
    all: trace.candidates.length,
    count: chosen.length,
  });
  if (chosen.length === 1) return t("Of {all} memories that could matter, this one answers the question best.", { all: trace.candidates.length });
  if (!linked) return first;
  return `${first} ${counted(linked, "One of them is here because it adds to another one.", "{count} of them are here because they add to another one.")}`;
}
