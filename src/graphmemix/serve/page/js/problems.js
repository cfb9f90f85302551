// What went wrong, in words with what to do; the server's own words are for engineers, and are shown where these lack.

import { t } from "./words.js";

const WORDS = {
  archive_busy: "Files are being read into this archive. Try again in a moment.",
  archive_damaged: "The archive is damaged. Run “graphmemix check ARCHIVE” in a terminal, or restore a backup.",
  archive_not_found: "This archive is not here any more. Choose another one at the top.",
  encoder_failed: "The encoder failed. Settings, “Try them”, says why.",
  encoder_mismatch: "The archive was made with another encoder than the server uses. Start the server with that encoder, or run “graphmemix reencode ARCHIVE”.",
  forbidden: "Your key does not allow this. Use a key that may write.",
  internal: "Something went wrong in the server. Its log says what; please report it.",
  limit_reached: "The limit for one question was reached before it was answered. Ask for less at once, or raise the limits.",
  misconfigured: "The settings of the server are wrong. Its log says what to change.",
  missing_extra: "A part that this needs is not installed.",
  model_failed: "The model gave no usable answer. Try again, or ask without a model.",
  model_unavailable: "The model does not answer. Check that its server is running (Settings, “Try them”), or ask without a model.",
  no_keys: "This server works without keys. “graphmemix keys create” in a terminal makes the first.",
  not_empty: "The sample is for empty archives, and this one holds something already.",
  overloaded: "The server has too much to do. Try again in a moment.",
  own_key: "This tab uses that key. Revoke it with another one.",
  read_only: "This archive is open for reading only.",
  storage_full: "The disk is full. Make room and try again.",
  store_unavailable: "The archive cannot be reached. Is its disk or its database there?",
  too_large: "This is larger than the server accepts. Send fewer or smaller files at once.",
  too_many_requests: "Too many requests in a short time. Wait a minute.",
  too_slow: "The connection was too slow, and the server gave up. Try again.",
};

/** A problem in words that everybody understands. */
export function inWords(problem) {
  const words = WORDS[problem.code];
  if (!words) return t(problem.message);
  return problem.code === "missing_extra" ? `${t(words)} ${problem.message}` : t(words);
}
