// Keys of the server: which there are, new ones, and those that no longer open anything.

import { day, h } from "./dom.js";
import { inWords } from "./problems.js";
import { t } from "./words.js";

const SCOPES = { read: "read", write: "read and write", admin: "everything" };

/** What to know about access: without a key, with one, and with one that may do everything. */
export async function accessTo({ hasKey, forgetKey, keys, archives }) {
  if (!hasKey) {
    const command = h("code", {}, "graphmemix keys create phone --grant '*:read'");
    return [h("p", {}, t("This server asks for no key: only programs on this machine reach it.")), h("p", { class: "faint" }, t("Before you let other devices in, create a key in a terminal:"), " ", command)];
  }
  const own = h("p", {}, t("This tab uses a key. It is kept only until the tab is closed."), " ", h("button", { type: "button", id: "key-forget", onclick: forgetKey }, t("Forget it")));
  if (archives.some((archive) => archive.scope !== "admin")) return [own];
  const known = await keys.list().catch(() => null); // its rights end with these archives
  return known ? [own, keyring(known, keys, archives)] : [own];
}

function keyring(known, keys, archives) {
  const place = h("div", { id: "keys" });
  const fault = h("p", { class: "bad", role: "alert" });
  const show = (listed, made = null) => place.replaceChildren(...(made ? [token(made)] : []), list(listed, revoke), form(archives, create), fault);
  const tried = async (act) => {
    fault.textContent = "";
    try {
      const made = await act();
      show(await keys.list(), made?.token);
    } catch (problem) {
      fault.textContent = inWords(problem);
    }
  };
  const revoke = (id) => tried(() => keys.revoke(id));
  const create = (name, grants, days) => tried(() => keys.create(name, grants, days));
  show(known);
  return place;
}

function list(known, revoke) {
  const state = (key) => {
    if (key.revoked_at) return t("revoked {day}", { day: day(new Date(key.revoked_at)) });
    if (!key.expires_at) return t("never expires");
    return t(new Date(key.expires_at) < new Date() ? "expired {day}" : "until {day}", { day: day(new Date(key.expires_at)) });
  };
  const grants = (key) => Object.entries(key.grants).map(([name, scope]) => `${name === "*" ? t("all archives") : name}: ${t(SCOPES[scope])}`).join(", ");
  const entry = (key) =>
    h(
      "li",
      { "data-key": key.id },
      h("div", {}, h("strong", {}, key.name), h("span", { class: "faint" }, ` ${grants(key)} · ${state(key)}`)),
      key.revoked_at ? null : h("button", { type: "button", "aria-label": t("Revoke {name}", { name: key.name }), onclick: () => revoke(key.id) }, t("Revoke")),
    );
  return h("ul", { class: "keys", "aria-label": t("Keys") }, known.map(entry));
}

function token(text) {
  return h("div", { class: "token", role: "status" }, h("p", {}, t("This is the new key. It is shown only now: copy it.")), h("code", { id: "new-token" }, text));
}

function form(archives, create) {
  const name = h("input", { id: "key-name", type: "text", required: true, maxlength: 100, placeholder: t("such as phone") });
  const archive = h("select", { id: "key-archive" }, h("option", { value: "*" }, t("all archives")), archives.map((each) => h("option", { value: each.name }, each.name)));
  const scope = h("select", { id: "key-scope" }, Object.entries(SCOPES).map(([value, words]) => h("option", { value }, t(words))));
  const days = h("input", { id: "key-days", type: "number", min: 1, max: 9999, placeholder: t("never") });
  const field = (control, words) => h("label", { for: control.id }, t(words), " ", control);
  const submit = (event) => {
    event.preventDefault();
    create(name.value.trim(), { [archive.value]: scope.value }, days.value ? Number(days.value) : null);
  };
  return h("form", { class: "row key-form", onsubmit: submit }, field(name, "Name"), field(archive, "For"), field(scope, "May"), field(days, "Days"), h("button", { type: "submit", id: "create-key" }, t("Create a key")));
}
