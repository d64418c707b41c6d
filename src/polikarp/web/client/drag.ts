// Dragging: what has data-drag can be let go over a data-drop, which does the same as choosing the one and clicking
// the other: a button in there that takes it (data-takes), or else one of those for the place. It looks like itself, or
// like so many (data-copies) of what another element shows (data-copied, data-copy). A tap stays a tap.

import { closeScene } from "./scene";

const FAR = 8;

interface Held {
  thing: HTMLElement;
  x: number;
  y: number;
  picture: HTMLElement | null;
}

/** The thing itself, as it looks, and nothing else of it. */
function pictureOf(thing: HTMLElement): HTMLElement {
  const picture = document.createElement("div");
  picture.className = thing.className;
  picture.innerHTML = thing.innerHTML;
  const { width, height } = thing.getBoundingClientRect();
  Object.assign(picture.style, {
    width: `${width}px`,
    height: `${height}px`,
    marginLeft: `${18 - width / 2}px`,
    marginTop: `${18 - height / 2}px`,
  });
  return picture;
}

export function dragging(root: HTMLElement): void {
  const stage = document.getElementById("stage");
  let held: Held | null = null;

  const over = (event: PointerEvent): HTMLElement | null =>
    document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>("[data-drop]") ?? null;
  const clear = () => {
    held?.picture?.remove();
    root.querySelectorAll(".under").forEach((one) => one.classList.remove("under"));
    held = null;
  };

  root.addEventListener("pointerdown", (event) => {
    const thing = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-drag]") : null;
    if (thing && event.button === 0) held = { thing, x: event.clientX, y: event.clientY, picture: null };
  });
  document.addEventListener("pointermove", (event) => {
    if (!held) return;
    if (!held.picture) {
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < FAR) return;
      closeScene(); // so that there is something to drag it to
      held.picture = document.createElement("div");
      held.picture.className = "dragged";
      const { copied, copies } = held.thing.dataset;
      const one = copied ? root.querySelector(`[data-copy="${copied}"]`)?.firstElementChild : null;
      if (one) for (let nth = 0; nth < Number(copies); nth++) held.picture.append(one.cloneNode(true));
      else held.picture.append(pictureOf(held.thing));
      stage?.append(held.picture);
    }
    held.picture.style.transform = `translate(${event.clientX}px, ${event.clientY}px)`;
    root.querySelectorAll(".under").forEach((one) => one.classList.remove("under"));
    over(event)?.classList.add("under");
  });
  document.addEventListener("pointerup", (event) => {
    const goal = held?.picture ? over(event) : null;
    const value = held?.thing.dataset["drag"];
    const dragged = Boolean(held?.picture);
    clear();
    if (!dragged) return;
    // The click that follows belongs to the drag, unless it never comes.
    const swallow = (click: Event) => (click.preventDefault(), click.stopImmediatePropagation());
    document.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => {
      document.removeEventListener("click", swallow, { capture: true });
      const taking = goal?.querySelector<HTMLButtonElement>(`[data-takes="${value}"]`);
      if (taking) {
        taking.click();
        return;
      }
      const slot = goal?.dataset["drop"];
      goal?.querySelector<HTMLInputElement>("input[type=radio]")?.click();
      if (slot) root.querySelector<HTMLButtonElement>(`.for-${slot} [value="${value}"]`)?.click();
    });
  });
  document.addEventListener("pointercancel", clear);
}
