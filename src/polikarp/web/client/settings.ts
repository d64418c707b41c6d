// What somebody has set for their own browser: a button with data-set="name" switches data-name on the whole page.

const KEPT = "polikarp-set-";

function on(name: string): boolean {
  return localStorage.getItem(KEPT + name) === "on";
}

function show(name: string): void {
  document.documentElement.toggleAttribute(`data-${name}`, on(name));
}

export function settings(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(KEPT)) show(key.slice(KEPT.length));
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-set]")) {
    const name = button.dataset["set"] ?? "";
    const press = () => button.setAttribute("aria-pressed", String(on(name)));
    button.hidden = false;
    button.addEventListener("click", () => {
      localStorage.setItem(KEPT + name, on(name) ? "off" : "on");
      show(name);
      press();
    });
    press();
  }
}
