// Episodes of a day: what was made at about the same time and place, such as a walk or an exchange of messages.

import { HOUR, clock, shortPlace, wallClock } from "./dom.js";
import { counted, t } from "./words.js";

const PAUSE = 2 * HOUR; // without anything: then another episode begins
const NEAR = 0.2; // degrees: farther away is another episode
const FEWEST = 4; // memories of a day that are worth dividing

const isTimed = (memory) => !/T00:00:00/.test(memory.timestamp);
const isFar = (a, b) => a && b && a.latitude != null && b.latitude != null && Math.hypot(a.latitude - b.latitude, a.longitude - b.longitude) > NEAR;

/** Divide the memories of a day, newest first, into episodes: lists of them, newest first. */
export function episodesOf(memories) {
  if (memories.length < FEWEST) return [memories];
  const found = [];
  for (const memory of memories) {
    const latest = found.at(-1);
    const last = latest?.at(-1);
    const place = latest?.findLast((one) => one.place?.latitude != null)?.place;
    const apart = last && isTimed(memory) && isTimed(last) && wallClock(last.timestamp) - wallClock(memory.timestamp) > PAUSE;
    if (!latest || apart || isFar(place, memory.place)) found.push([memory]);
    else latest.push(memory);
  }
  return found;
}

/** What an episode is called: when, where, and how many of what. */
export function episodeName(memories) {
  const timed = memories.filter(isTimed).map((memory) => clock(memory.timestamp));
  const times = timed.length ? (timed.at(-1) === timed[0] ? timed[0] : `${timed.at(-1)} – ${timed[0]}`) : t("all day");
  const place = memories.find((memory) => memory.place?.name);
  return [times, place && shortPlace(place.place.name), counted(memories.length, "{count} memory", "{count} memories")].filter(Boolean).join(" · ");
}
