// Keys: arrows move within a group, digits choose what has data-digit, two digits what has them as data-typed, letters
// press what has data-press; ? lists what works now.

import { hush } from "./bubble";
import { closeScene } from "./scene";

const PAIR_SECONDS = 1.5;

function visible(one: HTMLElement): boolean {
  return one.offsetParent !== null;
}

function members(group: Element): HTMLElement[] {
  return [...group.querySelectorAll<HTMLElement>("button:not([hidden]), a[href]")].filter(visible);
}

/** One thing of each group can be reached by Tab, the rest by arrows. */
export function rove(root: HTMLElement): void {
  for (const group of root.querySelectorAll("[data-group]")) {
    const all = members(group);
    const held = all.find((one) => one === document.activeElement);
    const first = held ?? all.find((one) => one.getAttribute("aria-disabled") !== "true") ?? all[0];
    for (const one of all) one.tabIndex = one === first ? 0 : -1;
  }
}

function step(key: string, row: number): number {
  return { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row }[key] ?? 0;
}

function focusCell(root: HTMLElement): void {
  const cells = [...root.querySelectorAll<HTMLElement>("[data-group] button")].filter(visible);
  (cells.find((one) => one.getAttribute("aria-disabled") !== "true") ?? cells[0])?.focus();
}

/** A digit chooses what carries it (data-digit), or presses the button that lies over it. */
function chooseDigit(root: HTMLElement, chosen: HTMLElement): void {
  const over = [...(chosen.parentElement?.querySelectorAll("button") ?? [])].find(visible);
  if (over) {
    over.click();
    return;
  }
  chosen.click();
  rove(root);
  focusCell(root);
}

function listKeys(root: HTMLElement): void {
  const dialog = document.getElementById("keys");
  if (!(dialog instanceof HTMLDialogElement)) return;
  for (const row of dialog.querySelectorAll<HTMLElement>("[data-when]"))
    row.hidden = !root.querySelector(row.dataset["when"] ?? "");
  dialog.showModal();
}

function openSide(root: HTMLElement, goal: string): void {
  const side = root.querySelector<HTMLElement>("#side");
  const thing = root.querySelector<HTMLElement>(goal);
  if (thing && !visible(thing)) side?.showPopover();
  const talk = thing?.closest("details");
  if (talk) talk.open = true;
  thing?.focus();
}

/** What was chosen and not sent yet is let go of; if nothing was, the last step is taken back. */
function stepBack(root: HTMLElement): void {
  const again = root.querySelector<HTMLElement>("button[type=reset]");
  if (again && visible(again)) again.click();
  else root.querySelector<HTMLFormElement>('form[data-press="u"]')?.requestSubmit();
}

export function keys(root: HTMLElement): void {
  let first = "";
  let since = 0;
  for (const button of document.querySelectorAll<HTMLElement>("[data-keys-open]")) {
    button.hidden = false;
    button.addEventListener("click", () => listKeys(root));
  }
  root.addEventListener("change", () => rove(root)); // a choice shows other buttons
  document.addEventListener("keydown", (event) => {
    const active = document.activeElement;
    if (event.key === "Escape" && (hush() || closeScene())) return;
    if (active instanceof HTMLInputElement && active.type !== "radio") return;
    if (active instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;

    const group = active?.closest("[data-group]");
    const by = step(event.key, Number(group?.getAttribute("data-group")) || 1);
    if (group && by && active instanceof HTMLElement && !(active instanceof HTMLInputElement)) {
      const all = members(group);
      const next = all[all.indexOf(active) + by];
      event.preventDefault();
      if (next) {
        next.focus();
        rove(root);
      }
      return;
    }
    if (event.key === "Enter" && active instanceof HTMLInputElement) {
      event.preventDefault();
      const next = active.dataset["next"]; // what the choice is for
      if (next) root.querySelector<HTMLElement>(next)?.focus();
      else focusCell(root);
      return;
    }
    const digit = /^[1-9]$/.test(event.key) ? root.querySelector<HTMLElement>(`[data-digit="${event.key}"]`) : null;
    if (digit) {
      chooseDigit(root, digit);
      return;
    }
    if (/^[0-9]$/.test(event.key) && root.querySelector("[data-typed]")) {
      const now = event.timeStamp / 1000;
      const second = first && now - since < PAIR_SECONDS;
      if (second) {
        const cells = [...root.querySelectorAll<HTMLElement>(`[data-typed="${first}${event.key}"]`)];
        cells.find(visible)?.focus();
        rove(root);
      }
      first = second ? "" : event.key;
      since = now;
      return;
    }
    const key = event.key.toLowerCase();
    if (key === "?") listKeys(root);
    else if (key === "l") openSide(root, "#log");
    else if (key === "c") {
      event.preventDefault();
      openSide(root, "#chat-text");
    } else if (/^[a-z]$/.test(key)) root.querySelector<HTMLFormElement>(`form[data-press="${key}"]`)?.requestSubmit();
    else if (key === "escape" && !root.querySelector(":popover-open")) stepBack(root);
  });
}
