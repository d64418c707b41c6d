// Where the first counts. What has data-slap is a target: it is slapped when a pointer goes down on it, not up, or by
// one of its data-keys. The time goes from the frame that showed the newest card, and counts by the clock of this
// browser, also for several people at it.

import { sound } from "./sound";

interface Shown {
  round: string;
  card: string;
  at: number;
}
type Send = (fields: Record<string, string>, target: HTMLElement) => void;

const RING = 1000; // milliseconds that a target stays slapped without an answer

let shown: Shown = { round: "", card: "", at: 0 };

function board(): HTMLElement | null {
  return document.querySelector<HTMLElement>("[data-race]");
}

/** Is the page a race? */
export function racing(): boolean {
  return board() !== null;
}

/** The page was patched: in the next frame people see what is on it now. */
export function present(): void {
  requestAnimationFrame(() => {
    const { round = "", card = "" } = board()?.dataset ?? {};
    if (round !== shown.round || card !== shown.card) shown = { round, card, at: performance.now() };
  });
}

function slap(target: HTMLElement, at: number, send: Send): void {
  const fields = {
    type: "slap",
    table: board()?.dataset["table"] ?? "",
    seat: target.dataset["seat"] ?? "",
    target: target.dataset["slap"] ?? "",
    round: shown.round,
    card: shown.card,
    claimed: (at - shown.at).toFixed(1),
  };
  send(fields, target);
  target.classList.add("slapped");
  // In a calm race the answer comes when everybody has chosen, and the ring is the own choice.
  setTimeout(() => board()?.hasAttribute("data-answering") || rest(target), RING);
  sound("slap");
}

/** A slap on this was answered, or will not be. */
export function rest(target: Element): void {
  target.classList.remove("slapped");
}

/** The letter or digit of a key, as it is printed on it or as it is where others have it. */
function byKey(event: KeyboardEvent): HTMLElement | null {
  const find = (key: string) =>
    /^\w$/.test(key) ? document.querySelector<HTMLElement>(`[data-keys~="${key}"]`) : null;
  return find(event.key.toLowerCase()) ?? find(event.code.replace(/^(Key|Digit|Numpad)/, "").toLowerCase());
}

function typing(active: Element | null): boolean {
  return (
    active instanceof HTMLInputElement ||
    active instanceof HTMLSelectElement ||
    document.querySelector("dialog[open]") !== null
  );
}

export function race(send: Send): void {
  present();
  document.addEventListener("pointerdown", (event) => {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-slap]") : null;
    if (target && event.button === 0) slap(target, event.timeStamp, send);
  });
  // What a screen reader or Enter presses comes as a click without a pointer.
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-slap]") : null;
    if (target && event.detail === 0) slap(target, event.timeStamp, send);
  });
  document.addEventListener(
    "keydown",
    (event) => {
      const active = document.activeElement;
      if (!racing() || event.ctrlKey || event.metaKey || event.altKey || typing(active)) return;
      const target = byKey(event);
      const pressable = active?.matches("button, summary, a[href]") && !active.closest("[data-flip], [data-slap]");
      const flip = event.key === " " && !pressable ? document.querySelector<HTMLFormElement>("form[data-flip]") : null;
      if (!target && event.key !== " ") return;
      if (target || !pressable) {
        event.preventDefault();
        event.stopImmediatePropagation(); // these keys have no other meaning here
      }
      if (event.repeat) return;
      if (target) slap(target, event.timeStamp, send);
      else flip?.requestSubmit();
    },
    { capture: true },
  );
}
