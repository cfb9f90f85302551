// The page as one file: a trace to look at, without a server. Its data are in the page itself.

import { byId, showIn } from "./dom.js";
import { openMemory } from "./memory.js";
import { evidenceOf } from "./model.js";
import { showAnswer, showEvidence } from "./result.js";
import { setUpShell } from "./shell.js";

const data = JSON.parse(byId("data").textContent);
const memories = new Map(data.memories.map((memory) => [memory.id, memory]));
const host = {
  memory: async (id) => memories.get(id) ?? null,
  memories: async () => memories,
  preview: (sha256) => data.pictures[sha256] ?? null,
  file: () => null,
};

setUpShell();
showIn(data.zone);
const evidence = evidenceOf(data, memories);
byId("asked").textContent = data.trace.question.text || "A picture";
showAnswer(byId("answer"), evidence, (id) => openMemory(id, host, { evidence }));
showEvidence(byId("evidence"), evidence, host);
