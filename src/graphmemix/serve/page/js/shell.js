// What the served and the exported page share: light and dark, and the drawer.

import { byId } from "./dom.js";

const THEME = "graphmemix.theme";

function remembered() {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null; // a page from a file may have no storage
  }
}

/** Set up the switch between light and dark, and the ways to close the drawer. */
export function setUpShell() {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const button = byId("theme");
  const tell = () => button.setAttribute("aria-pressed", String(dark()));
  if (["light", "dark"].includes(remembered())) root.dataset.theme = remembered();
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem(THEME, root.dataset.theme);
    } catch {
      // It holds until the page is closed.
    }
    tell();
  });
  tell();
  const drawer = byId("drawer");
  byId("drawer-close").addEventListener("click", () => drawer.close());
  drawer.addEventListener("click", (event) => event.target === drawer && drawer.close());
}
