// What makes a page live: forms go through the socket, the table is patched in place, and what moved is seen to move.
// Without this script the same forms are sent to the server and the page is loaded again.
import { hush, tell, type Reason } from "./bubble";
import { call, callSwitch } from "./call";
import { clocks } from "./clocks";
import { dragging } from "./drag";
import { keys, rove } from "./keys";
import { Line } from "./line";
import { clearStage, play, remember, type Before } from "./motion";
import { patch, receive, showPart, showParts } from "./page";
import { present, race, racing, rest } from "./race";
import "./replay";
import { Drawing, type Pages } from "./runtime";
import { playScene, sceneOf } from "./scene";
import { settings } from "./settings";
import { sound, soundSwitches } from "./sound";
import { isStory, Story } from "./story";
import type { Words } from "./words";

const live = document.getElementById("live");
const told = document.getElementById("told");
const called = document.getElementById("called");
const REASON_SHOWN = 2500;
const asked = new Map<string, Asked>(); // commands that wait for an answer

/** What a command is about, and whether it turns up a card, or is a slap. */
interface Asked {
  about: Element;
  flip?: boolean;
  slap?: boolean;
}

interface Message {
  type: string;
  id?: string | null;
  reason?: Reason;
  table?: string;
}

function say(text: string): void {
  if (told) told.textContent = text;
}

/** A choice that leads nowhere now gives way to one that does. */
function choose(root: HTMLElement): void {
  const now = root.querySelector<HTMLInputElement>("[data-choice] input:checked");
  if (now && root.querySelector(`label.can[for="${now.id}"]`)) return;
  const better =
    root.querySelector<HTMLLabelElement>("[data-choice] label.can") ??
    root.querySelector<HTMLLabelElement>("[data-choice] label");
  if (better?.control instanceof HTMLInputElement) better.control.checked = true;
}

/** Focus is never lost: it goes to the next useful thing. */
function settle(root: HTMLElement): void {
  const active = document.activeElement;
  if (active && active !== document.body && active.id !== "prompt" && (active as HTMLElement).offsetParent !== null)
    return;
  const next =
    root.querySelector<HTMLElement>(".curtain button") ??
    (root.querySelector("[data-turn]")
      ? (root.querySelector<HTMLElement>("[data-choice] input:checked, [data-start]") ??
        root.querySelector<HTMLElement>(".others button"))
      : null) ??
    root.querySelector<HTMLElement>("#prompt");
  if (next !== active) next?.focus({ preventScroll: true });
}

let news = 0; // pages that came
let track: string | null = null; // as it was last sent

function showTrack(fresh: string): void {
  const element = document.getElementById("track");
  if (element && fresh !== track) patch(element, fresh);
  track = fresh;
}

const story = new Story();
const nonce = crypto.getRandomValues(new Uint32Array(1))[0]!.toString(16); // each sending adds to it

/** What a race is about is on the screen first; the rest of the page follows when that was painted. */
function show(live: HTMLElement, drawing: Drawing): void {
  const { shown, told, first, chat } = story;
  if (!shown) return;
  const before = remember(live);
  const number = ++news;
  const board = racing() && !document.hidden ? live.querySelector("#main") : null;
  const drawn = drawing.table({ shown, told, first, chat, nonce, notice: "" });
  receive(drawn.live);
  if (board && showPart(board)) {
    present();
    requestAnimationFrame(() => setTimeout(() => number === news && showAll(live, drawn.track, before)));
  } else showAll(live, drawn.track, before);
}

/** What the tab says: a mark when it is the reader's turn, and nothing that a curtain hides. */
function title(live: HTMLElement): string {
  const turn = story.shown?.["next"] !== null && story.shown?.stage === "playing" && !story.shown["curtain"];
  return `${turn ? "● " : ""}${live.dataset["title"] ?? ""} · Polikarp`;
}

function showAll(live: HTMLElement, drawnTrack: string, before: Before): void {
  const table = () => live.querySelector<HTMLElement>("#table");
  const viewer = table()?.dataset["viewer"];
  const turn = table()?.hasAttribute("data-turn");
  const known = lineNumber(live.querySelector("#log li"));
  const scene = sceneOf(live);
  const result = () => live.querySelector<HTMLElement>("[data-told]");
  showParts(live);
  present();
  live.dataset["shown"] = String(story.step);
  showTrack(drawnTrack);
  document.title = title(live);
  choose(live);
  rove(live);
  clocks(live);
  settle(live);
  if (table()?.dataset["viewer"] !== viewer) {
    // Another reader: nothing of what the last one was told may stay.
    clearStage();
    hush();
    say("");
    if (called) called.textContent = "";
  } else {
    const fresh = [...live.querySelectorAll("#log li")].filter((line) => lineNumber(line) > known).reverse();
    play(live, before, fresh);
    playScene(live, scene);
    const words = fresh.slice(-8).map((line) => line.querySelector(".text")?.textContent ?? "");
    if (result()?.dataset["told"] !== told?.dataset["of"])
      words.push(...[...live.querySelectorAll("[data-say]")].map((one) => one.textContent ?? ""));
    if (words.length) say(words.join(" ").replace(/\s+/g, " "));
    sound(...fresh.flatMap((line) => line.querySelector<HTMLElement>("[data-sound-of]")?.dataset["soundOf"] ?? []));
  }
  if (told) told.dataset["of"] = result()?.dataset["told"] ?? "";
  if (table()?.hasAttribute("data-turn") && !turn) {
    if (called) called.textContent = live.querySelector("#prompt")?.textContent ?? "";
    if (!racing()) sound("bell");
    call(live.dataset["bell"] ?? "");
  }
}

function lineNumber(line: Element | null): number {
  return Number(line?.id.replace("line-", "") || -1);
}

function fields(form: HTMLFormElement, submitter: HTMLElement | null): Record<string, string> {
  const made: Record<string, string> = {};
  for (const [name, value] of new FormData(form, submitter)) if (typeof value === "string") made[name] = value;
  return made;
}

function begin(live: HTMLElement, path: string, drawing: Drawing): void {
  let asking = false; // for the whole page: once is enough
  const line = new Line(path, {
    message(message: Message) {
      const answered = asked.get(message.id ?? "");
      asked.delete(message.id ?? "");
      if (answered?.slap && ![...asked.values()].some((other) => other.about === answered.about)) rest(answered.about);
      if (isStory(message)) {
        const fits = story.take(message);
        if (fits) show(live, drawing);
        else if (!asking) line.send({ type: "again" });
        asking = !fits;
      } else if (message.type === "refused" && message.reason) {
        if (answered?.flip && message.reason.key === "old_prompt") return; // the card was turned up already
        const about = answered && !answered.slap ? answered.about : null;
        sound("tock");
        tell(message.reason, about?.isConnected ? about : null, about ? live.dataset["why"] : "");
        if (racing()) setTimeout(hush, REASON_SHOWN); // the game does not wait for anybody to read it
      } else if (message.type === "done" && message.table) location.assign(`/t/${message.table}`);
    },
    place: () => story.place,
    lost() {
      live.classList.add("lost");
      say(live.dataset["lost"] ?? "");
      tell({ rule: "", text: live.dataset["lost"] ?? "" });
    },
    found() {
      live.classList.remove("lost");
      hush();
    },
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement)) return;
    if (form.dataset["show"] !== undefined) {
      event.preventDefault();
      line.send({ type: "show", seat: form.dataset["show"] });
    } else if ("command" in form.dataset) {
      event.preventDefault();
      hush();
      const made = fields(form, event.submitter);
      const button = event.submitter ?? form.querySelector("button");
      if (button?.dataset["tell"]) {
        tell({ rule: "", text: button.dataset["tell"] }, button, live.dataset["why"]);
        return;
      }
      if (button?.getAttribute("aria-disabled") === "true" && made["type"] === "move") {
        // What can not be used answers why, and sends nothing.
        made["type"] = "why";
        delete made["prompt"];
      }
      const id = line.send(made);
      if (button) asked.set(id, { about: button, flip: "flip" in form.dataset });
      if ("clear" in form.dataset)
        form.querySelectorAll("input[name=text]").forEach((one) => ((one as HTMLInputElement).value = ""));
    }
  });
  race((fields, about) => asked.set(line.send(fields), { about, slap: true }));
  keys(live);
  rove(live);
  clocks(live);
  dragging(live);
  soundSwitches();
  callSwitch();
  const link = live.querySelector<HTMLInputElement>("[data-copy]");
  if (link) link.value = new URL(link.value, location.href).href;
  live.dataset["begun"] = "";
}

for (const details of document.querySelectorAll<HTMLDetailsElement>("details[data-remember]")) {
  const kept = `polikarp-${details.dataset["remember"]}`;
  if (localStorage.getItem(kept) === "closed") details.open = false;
  details.addEventListener("toggle", () => localStorage.setItem(kept, details.open ? "open" : "closed"));
}

settings();

/** The templates and words of this game. Without them the page is one of plain forms. */
async function drawingOf(live: HTMLElement): Promise<Drawing> {
  const [pages, words] = await Promise.all([import(live.dataset["pages"] ?? ""), import(live.dataset["words"] ?? "")]);
  return new Drawing(pages as Pages, (words as { default: Words }).default);
}

if (live?.dataset["socket"]) {
  const path = live.dataset["socket"];
  void drawingOf(live).then((drawing) => begin(live, path, drawing));
}

// A form that leads to another page is sent once, however often it is pressed.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || !(event.target instanceof HTMLFormElement)) return;
  if ("sent" in event.target.dataset) event.preventDefault();
  else event.target.dataset["sent"] = "";
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-sent]")) delete form.dataset["sent"];
});

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  if (!target?.closest("#bubble, [aria-disabled=true]")) hush();
  const open = document.querySelector("details.menu[open]");
  if (open && !open.contains(target)) open.removeAttribute("open");
  const copy = target?.closest<HTMLElement>("[data-copy-link]");
  const link = document.querySelector<HTMLInputElement>("[data-copy]");
  if (copy && link) {
    link.select();
    void navigator.clipboard?.writeText(link.value);
    tell({ rule: "", text: copy.dataset["copied"] ?? "" }, copy);
  }
  const telling = target?.closest<HTMLElement>("[data-tell]:not([aria-disabled])");
  if (telling) tell({ rule: "", text: telling.dataset["tell"] ?? "" }, telling);
});
