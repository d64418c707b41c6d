// What moved is seen to move. Things with a data-key glide from where they were to where they are now. Things of one
// data-flock are alike: those that are new at a place (data-at) come from where some are missing. What the log says
// went to somebody (data-fly, data-to) flies there, and rolls are shown for a moment.
import { RINGED } from "./page";

interface Taken {
  rect: DOMRect;
  copy: HTMLElement;
}
export interface Before {
  keyed: Map<string, DOMRect>;
  flocks: Map<string, Map<string, DOMRect[]>>;
  placed: Map<string, Taken>;
}

const still = matchMedia("(prefers-reduced-motion: reduce)");
const stage = document.getElementById("stage");
const rolls = document.getElementById("rolls");
const EASE = "cubic-bezier(.2,.8,.2,1)";
const MOVE = 260;
const APART = 40;
const RING = 1000;
const ROLLS_SHOWN = 4500;
const ROLLS_AT_ONCE = 12;

function all(root: Element, selector: string): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(selector)];
}

function flocksOf(root: Element): Map<string, Map<string, HTMLElement[]>> {
  const flocks = new Map<string, Map<string, HTMLElement[]>>();
  for (const one of all(root, "[data-flock]")) {
    const flock = one.dataset["flock"] ?? "";
    const at = one.dataset["at"] ?? "";
    const places = flocks.get(flock) ?? new Map<string, HTMLElement[]>();
    places.set(at, [...(places.get(at) ?? []), one]);
    flocks.set(flock, places);
  }
  return flocks;
}

/** The place of a thing, or of the seat that it is in if the thing itself is folded away. */
function whereIs(one: Element): DOMRect {
  const own = one.getBoundingClientRect();
  return own.width ? own : (one.closest(".seat")?.getBoundingClientRect() ?? own);
}

export function remember(root: Element): Before {
  const flocks = new Map(
    [...flocksOf(root)].map(([flock, places]) => [
      flock,
      new Map([...places].map(([at, ones]) => [at, ones.map(whereIs)])),
    ]),
  );
  const placed = all(root, "[data-place]").map((one): [string, Taken] => [
    one.dataset["place"] ?? "",
    { rect: one.getBoundingClientRect(), copy: one.cloneNode(true) as HTMLElement },
  ]);
  return {
    keyed: new Map(all(root, "[data-key]").map((one) => [one.dataset["key"] ?? "", one.getBoundingClientRect()])),
    flocks,
    placed: new Map(placed),
  };
}

const rings = new WeakMap<Element, number>();

/** A ring around what changed, for whoever wants no motion: it stands still, and stays for its time. */
function mark(one: Element): void {
  clearTimeout(rings.get(one));
  one.setAttribute(RINGED, "");
  rings.set(
    one,
    window.setTimeout(() => one.removeAttribute(RINGED), RING),
  );
}

/** A way on the screen in a thing's own measure: inside a drawing, the drawing's. */
function measured(one: Element, x: number, y: number): [number, number] {
  const inside = one instanceof SVGGraphicsElement && one.ownerSVGElement ? one.getScreenCTM()?.inverse() : null;
  return inside ? [inside.a * x + inside.c * y, inside.b * x + inside.d * y] : [x, y];
}

function glide(one: Element, was: DOMRect, delay = 0): void {
  const is = one.getBoundingClientRect();
  if (!is.width || !was.width) return;
  const far = [
    was.left + was.width / 2 - is.left - is.width / 2,
    was.top + was.height / 2 - is.top - is.height / 2,
  ] as const;
  if (Math.abs(far[0]) + Math.abs(far[1]) < 2) return;
  const [x, y] = measured(one, ...far);
  if (still.matches) mark(one);
  else
    one.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], {
      duration: MOVE + Math.min(240, Math.hypot(...far) / 3),
      delay,
      easing: EASE,
      fill: "backwards",
    });
}

/** Members of a flock that are new at a place come from the places that have fewer than before. */
function gather(root: Element, before: Before["flocks"]): void {
  for (const [flock, places] of flocksOf(root)) {
    const was = before.get(flock);
    if (!was) continue;
    const missing: DOMRect[] = [];
    for (const [at, rects] of was) missing.push(...rects.slice(places.get(at)?.length ?? 0));
    let nth = 0;
    for (const [at, ones] of places)
      for (const one of ones.slice(was.get(at)?.length ?? 0)) {
        const from = missing.shift();
        if (from) glide(one, from, APART * nth++);
      }
  }
}

function deal(root: Element, before: Before["keyed"], wait: number): void {
  let nth = 0;
  for (const one of all(root, "[data-key]")) {
    const was = before.get(one.dataset["key"] ?? "");
    if (was) glide(one, was);
    else if (before.size && !still.matches)
      one.animate(
        [
          { opacity: 0, transform: "translateY(-28px) scale(.9)" },
          { opacity: 1, transform: "none" },
        ],
        {
          duration: MOVE,
          delay: wait + APART * nth++,
          easing: EASE,
          fill: "backwards",
        },
      );
  }
}

function flyAway(taken: Taken, goal: Element, delay: number): void {
  const to = goal.getBoundingClientRect();
  if (!stage || !taken.rect.width || !to.width) return;
  const { copy, rect } = taken;
  copy.removeAttribute("for");
  copy.classList.add("flying");
  copy.classList.remove("can");
  Object.assign(copy.style, {
    left: `${rect.left}px`,
    top: `${rect.top}px`,
    width: `${rect.width}px`,
    height: `${rect.height}px`,
  });
  stage.append(copy);
  const x = to.left + to.width / 2 - rect.left - rect.width / 2;
  const y = to.top + to.height / 2 - rect.top - rect.height / 2;
  const flight = copy.animate(
    [{ transform: "none" }, { transform: `translate(${x}px, ${y}px) scale(.25)`, opacity: 0.4 }],
    { duration: MOVE * 2, delay, easing: EASE, fill: "backwards" },
  );
  flight.onfinish = flight.oncancel = () => copy.remove();
}

let rollsGone = 0;

function showRolls(lines: Element[]): void {
  const made = lines.flatMap((line) => [...line.querySelectorAll(".roll")]).slice(-ROLLS_AT_ONCE);
  if (!rolls || !made.length) return;
  const items = made.map((one) => {
    const item = document.createElement("li");
    item.append(one.cloneNode(true));
    return item;
  });
  rolls.replaceChildren(...items);
  clearTimeout(rollsGone);
  rollsGone = window.setTimeout(() => rolls.replaceChildren(), ROLLS_SHOWN);
  if (still.matches) return;
  rolls.querySelectorAll(".die").forEach((die, nth) =>
    die.animate([{ transform: "translateY(-26px) rotate(-320deg)" }, { transform: "none" }], {
      duration: 600,
      delay: APART * nth,
      easing: "cubic-bezier(.3,1.3,.5,1)",
      fill: "backwards",
    }),
  );
}

/** Everything that is new, told by motion. `lines` are the new lines of the log, oldest first. */
export function play(root: Element, before: Before, lines: Element[] = []): void {
  showRolls(lines);
  let nth = 0;
  if (!still.matches)
    for (const line of lines)
      for (const one of line.querySelectorAll<HTMLElement>("[data-fly]")) {
        const taken = before.placed.get(one.dataset["fly"] ?? "");
        const goal = document.getElementById(one.dataset["to"] ?? "");
        if (taken && goal) flyAway(taken, goal, APART * nth++);
      }
  gather(root, before.flocks);
  deal(root, before.keyed, nth ? MOVE : 0);
}

/** Nothing of one seat may be left when another looks. */
export function clearStage(): void {
  clearTimeout(rollsGone);
  rolls?.replaceChildren();
  stage?.querySelectorAll(".flying").forEach((one) => one.remove());
}
