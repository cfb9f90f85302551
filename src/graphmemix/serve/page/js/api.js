// The server's JSON interface. The key lives in sessionStorage alone: it is gone with the tab.

const KEY = "graphmemix.key";
const SIDE_BY_SIDE = 6; // requests for memories at a time

export class Problem extends Error {
  constructor(status, detail, code = "") {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

export const hasKey = () => sessionStorage.getItem(KEY) !== null;

export function setKey(key) {
  if (key) sessionStorage.setItem(KEY, key);
  else sessionStorage.removeItem(KEY);
}

async function request(path, { method = "GET", body, accept = "application/json", signal } = {}) {
  const headers = { Accept: accept };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (hasKey()) headers.Authorization = `Bearer ${sessionStorage.getItem(KEY)}`;
  let response;
  try {
    response = await fetch(path, { method, headers, body: body && JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "The server does not answer. Is it still running?");
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Problem(response.status, problem.detail || problem.title || `The server replied with ${response.status}.`, problem.code);
}

const json = async (path, options) => (await request(path, options)).json();

/** The keys of the server, for whoever may do everything. */
export const keys = {
  list: async () => (await json("/v1/keys")).keys,
  create: (name, grants, days) => json("/v1/keys", { method: "POST", body: { name, grants, days } }),
  revoke: (id) => json(`/v1/keys/${id}`, { method: "DELETE" }),
};

export const archives = async () => (await json("/v1/archives")).archives;

/** One archive: what the page needs of it. Memories that were read are kept while the page is open. */
export class Archive {
  constructor(name) {
    this.name = name;
    this.root = `/v1/archives/${encodeURIComponent(name)}`;
    this.known = new Map();
    this.urls = new Map();
    this.underWay = new Map();
  }

  /** Size and settings. */
  details() {
    return this.#shared(this.root);
  }

  /** Counts of what a query asks for: by month, person and place. */
  overview(query = "") {
    return this.#shared(`${this.root}/overview?${query}`);
  }

  /** Read something once for all who want it at the same time. */
  #shared(path) {
    if (!this.underWay.has(path)) this.underWay.set(path, json(path).finally(() => this.underWay.delete(path)));
    return this.underWay.get(path);
  }

  /** Questions that fit the archive, as far as they were tried. */
  suggestions(language) {
    return json(`${this.root}/suggestions?language=${language}`);
  }

  /** What can be said of a picture ({data, mime}): the same one in the archive, its text, time and place. */
  picture(image, signal) {
    return json(`${this.root}/picture`, { method: "POST", body: { image }, signal });
  }

  async list(query) {
    const found = await json(`${this.root}/memories?${query}`);
    found.memories.forEach((memory) => this.known.set(memory.id, memory));
    return found;
  }

  async search(text, filter, limit) {
    const { hits } = await json(`${this.root}/search`, { method: "POST", body: { text, filter, limit } });
    hits.forEach((hit) => this.known.set(hit.memory.id, hit.memory));
    return hits;
  }

  async memory(id) {
    if (!this.known.has(id)) this.known.set(id, await json(`${this.root}/memories/${encodeURIComponent(id)}`));
    return this.known.get(id);
  }

  /** Return the days that a memory is about. */
  async about(id) {
    return (await json(`${this.root}/about/${encodeURIComponent(id)}`)).about;
  }

  /** Return a map of those memories that are (still) there. */
  async memories(ids) {
    const waiting = [...new Set(ids)];
    const found = new Map();
    const work = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        try {
          found.set(id, await this.memory(id));
        } catch (problem) {
          if (problem.status !== 404) throw problem;
        }
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
    return found;
  }

  /** Replace a memory; the old state stays in its history. */
  async update(memory) {
    this.known.delete(memory.id);
    return json(`${this.root}/memories/${encodeURIComponent(memory.id)}`, { method: "PUT", body: memory });
  }

  /** Erase a memory and everything that mentions it; returns the receipt. */
  async erase(id) {
    this.known.delete(id);
    return json(`${this.root}/memories/${encodeURIComponent(id)}`, { method: "DELETE" });
  }

  async traces(limit) {
    return (await json(`${this.root}/traces?limit=${limit}`)).traces;
  }

  /** The page of a trace as one file. */
  async page(id) {
    return (await request(`${this.root}/traces/${encodeURIComponent(id)}/page`, { accept: "text/html" })).blob();
  }

  /** Everything in the archive as a zip. */
  async everything() {
    return (await request(`${this.root}/export`, { accept: "application/zip" })).blob();
  }

  async jobs() {
    return (await json(`${this.root}/jobs`)).jobs;
  }

  /** Describe pictures and sounds, or read the sample: work in the background. */
  start(what) {
    return json(`${this.root}/jobs/${what}`, { method: "POST" });
  }

  stopJob(id) {
    return json(`${this.root}/jobs/${id}`, { method: "DELETE" });
  }

  resumeJob(id) {
    return json(`${this.root}/jobs/${id}/resume`, { method: "POST" });
  }

  /** Try the encoder and the model. */
  test() {
    return json(`${this.root}/test`, { method: "POST" });
  }

  /** Send files ([{file, name}]) to be read; `onprogress(share)` is called as they go. Aborts with the signal. */
  upload(files, onprogress, signal) {
    const form = new FormData();
    files.forEach(({ file, name }) => form.append("files", file, name));
    const sending = new XMLHttpRequest(); // fetch does not tell how much was sent
    sending.open("POST", `${this.root}/jobs`);
    if (hasKey()) sending.setRequestHeader("Authorization", `Bearer ${sessionStorage.getItem(KEY)}`);
    sending.responseType = "json";
    sending.upload.addEventListener("progress", ({ loaded, total }) => onprogress(total ? loaded / total : 0));
    signal.addEventListener("abort", () => sending.abort());
    return new Promise((resolve, reject) => {
      sending.addEventListener("load", () => {
        if (sending.status === 202) resolve(sending.response);
        else reject(new Problem(sending.status, sending.response?.detail ?? `The server replied with ${sending.status}.`, sending.response?.code));
      });
      sending.addEventListener("error", () => reject(new Problem(0, "The upload was refused or the connection was lost. Is the server still running, and are the files smaller than it accepts?")));
      sending.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
      sending.send(form);
    });
  }

  trace(id) {
    return json(`${this.root}/traces/${encodeURIComponent(id)}?explain=true`);
  }

  /** Ask; call `on[event](data)` for each event, and return the last: the trace, explained. */
  async ask(question, filter, on, signal, model = null) {
    const body = { question, filter, explain: true, model };
    const options = { method: "POST", body, accept: "text/event-stream", signal };
    const response = await request(`${this.root}/ask`, options);
    for await (const { event, data } of events(response.body)) {
      if (event === "error") throw new Problem(data.status, data.detail || data.title, data.code);
      if (event === "trace") return data;
      on[event]?.(data);
    }
    throw new Problem(0, "The connection was lost. Ask again.");
  }

  preview(sha256, edge, page = 1) {
    return this.#url(`${this.root}/previews/${sha256}?edge=${edge}${page > 1 ? `&page=${page}` : ""}`);
  }

  file(sha256) {
    return this.#url(`${this.root}/media/${sha256}`);
  }

  /** An address for src: the plain one, or a blob where a key has to go along. */
  async #url(path) {
    if (!hasKey()) return path;
    if (!this.urls.has(path)) {
      const blob = await (await request(path, { accept: "*/*" })).blob();
      this.urls.set(path, URL.createObjectURL(blob));
    }
    return this.urls.get(path);
  }
}

/** Yield server-sent events from a stream. */
export async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const lines = block.split("\n");
      const field = (name) =>
        lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trimStart());
      const data = field("data").join("\n");
      if (data) yield { event: field("event")[0] ?? "message", data: JSON.parse(data) };
    }
  }
}
