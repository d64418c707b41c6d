// A finished game step by step, the check of its chance, and games from a file. Every control is also a plain link or
// form; here the moments are fetched ahead and patched in, so that a step takes no time.
import { play, remember } from "./motion";
import { patch } from "./page";
import { verify, type GameRecord } from "./verify";

const KEPT = 80; // moments that are held ready
const AHEAD = 3; // moments that are fetched before they are asked for

function hidden(element: HTMLElement | null, hide: boolean): void {
  if (element) element.hidden = hide;
}

function replay(live: HTMLElement, bar: HTMLElement): void {
  const find = <Kind extends HTMLElement>(selector: string) => bar.querySelector<Kind>(selector);
  const address = bar.dataset["address"] ?? "";
  const seat = bar.dataset["seat"] ?? "watcher";
  const last = Number(bar.dataset["last"]);
  const slider = find<HTMLInputElement>("#replay-at");
  const player = find<HTMLButtonElement>("[data-play]");
  const speed = find<HTMLSelectElement>("[data-speed]");
  const trouble = find(".replay-trouble");
  const told = document.getElementById("told");
  const moves = [...bar.querySelectorAll<HTMLAnchorElement>("[data-move]")];
  const parts = new Map<number, Promise<string>>();
  let wanted = Number(bar.dataset["at"]);
  let shown = wanted;
  let busy = false;
  let timer = 0;

  const link = (at: number, eyes = seat) => `${address}?at=${at}&seat=${eyes}`;
  const clamp = (at: number) => Math.max(0, Math.min(last, at));

  function part(at: number): Promise<string> {
    const had = parts.get(at);
    if (had) return had;
    const made = fetch(`${address}/part?at=${at}&seat=${seat}`).then((answer) => {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.text();
    });
    made.catch(() => parts.delete(at)); // it is asked for again the next time
    parts.set(at, made);
    const oldest = parts.keys().next();
    if (parts.size > KEPT && !oldest.done) parts.delete(oldest.value);
    return made;
  }

  /** The controls say where we are, at once. */
  function paint(): void {
    const to: Record<string, number> = { first: 0, back: clamp(wanted - 1), forward: clamp(wanted + 1), last };
    for (const one of bar.querySelectorAll<HTMLAnchorElement>("[data-step]")) {
      const at = to[one.dataset["step"] ?? ""] ?? wanted;
      one.href = link(at);
      if (at === wanted) one.setAttribute("aria-disabled", "true");
      else one.removeAttribute("aria-disabled");
    }
    for (const one of bar.querySelectorAll<HTMLAnchorElement>("[data-eyes]"))
      one.href = link(wanted, one.dataset["eyes"]);
    for (const one of moves) one.removeAttribute("aria-current");
    const current = moves[wanted];
    current?.setAttribute("aria-current", "step");
    find(".considered")?.classList.toggle("idle", current?.dataset["weighed"] === undefined);
    reveal();
    const words = current?.querySelector("span")?.textContent ?? "";
    if (slider) {
      slider.value = String(wanted);
      slider.setAttribute("aria-valuetext", `${wanted}: ${words}`);
    }
    const number = find("output b");
    if (number) number.textContent = String(wanted);
    if (told) told.textContent = words;
    const at = find<HTMLInputElement>("[data-go-on] [name=at]");
    if (at) at.value = String(wanted);
    find("[data-go-on] button")?.toggleAttribute("disabled", wanted === last);
    hidden(find("[data-at-end]"), wanted !== last);
    for (const here of document.querySelectorAll<HTMLInputElement>("input[name=here]")) here.value = link(wanted);
    history.replaceState(null, "", link(wanted));
  }

  /** In the open list of moves, the present one can be seen. */
  function reveal(): void {
    if (find(".moves")?.hasAttribute("open")) moves[wanted]?.scrollIntoView({ block: "nearest" });
  }

  async function go(at: number): Promise<void> {
    wanted = clamp(at);
    paint();
    if (busy) return; // whoever is at it goes on to the moment that is wanted by then
    busy = true;
    try {
      while (shown !== wanted) {
        const next = wanted;
        const html = await part(next);
        const before = remember(live);
        const fresh = new DOMParser().parseFromString(html, "text/html");
        for (const part of [document.getElementById("track"), live, document.getElementById("considered")])
          if (part) patch(part, fresh.getElementById(part.id)?.innerHTML ?? "");
        if (Math.abs(next - shown) === 1) play(live, before);
        live.dataset["at"] = String(next);
        shown = next;
      }
      hidden(trouble, true);
      for (let ahead = 1; ahead <= AHEAD; ahead++)
        if (shown + ahead <= last) part(shown + ahead).catch(() => undefined);
    } catch {
      stop();
      wanted = shown;
      paint();
      if (trouble) trouble.textContent = bar.dataset["trouble"] ?? "";
      hidden(trouble, false);
    } finally {
      busy = false;
    }
  }

  function stop(): void {
    clearTimeout(timer);
    timer = 0;
    dress();
  }

  function dress(): void {
    const words = bar.dataset[timer ? "pause" : "play"] ?? "";
    player?.classList.toggle("going", timer !== 0);
    player?.setAttribute("aria-label", words);
    player?.setAttribute("title", words);
  }

  function tick(): void {
    timer = window.setTimeout(async () => {
      await go(wanted + 1);
      if (!timer) return;
      if (wanted >= last) stop();
      else tick();
    }, Number(speed?.value));
  }

  function toggle(): void {
    if (timer) return stop();
    if (wanted >= last) void go(0);
    tick();
    dress();
  }

  bar.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const anchor = target?.closest<HTMLAnchorElement>("[data-step], [data-move]");
    if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    stop();
    void go(Number(new URL(anchor.href).searchParams.get("at")));
  });
  player?.addEventListener("click", toggle);
  slider?.addEventListener("input", () => {
    stop();
    void go(Number(slider.value));
  });
  document.addEventListener("keydown", (event) => {
    const active = document.activeElement;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "Escape") closeSheets(null);
    // these have keys of their own
    if (active instanceof HTMLInputElement || active instanceof HTMLSelectElement) return;
    const pressable = active instanceof HTMLButtonElement || active?.tagName === "SUMMARY";
    const to = { ArrowLeft: wanted - 1, ArrowRight: wanted + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      stop();
      void go(to);
    } else if (event.key === " " && !pressable) {
      event.preventDefault();
      toggle();
    }
  });

  hidden(player, false);
  hidden(find(".speed"), false);
  live.dataset["at"] = String(shown);
  paint();
  if (shown < last) part(shown + 1).catch(() => undefined);
  find(".moves")?.addEventListener("toggle", reveal);
  sheets(bar);
}

/** One sheet is open at a time, and a tap beside it closes it. */
function sheets(bar: HTMLElement): void {
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const own = target?.closest("details.up") ?? null;
    if (own || !bar.contains(target)) closeSheets(own);
  });
}

function closeSheets(except: Element | null): void {
  for (const open of document.querySelectorAll("details.up[open]")) if (open !== except) open.removeAttribute("open");
}

function checking(root: HTMLElement): void {
  const button = root.querySelector("button");
  const bar = root.querySelector("progress");
  const verdict = root.querySelector<HTMLElement>(".verdict");
  const names = [...document.querySelectorAll("#go-on-seat option")].map((one) => one.textContent ?? "");

  function tell(
    kind: "good" | "bad" | "",
    words: string | undefined,
    filled: Record<string, string | number> = {},
  ): void {
    if (!verdict) return;
    verdict.dataset["verdict"] = kind;
    verdict.textContent = (words ?? "").replace(/\{(\w+)\}/g, (whole, name: string) => String(filled[name] ?? whole));
  }

  async function run(): Promise<void> {
    if (!crypto.subtle) return tell("", root.dataset["noCrypto"]);
    hidden(bar, false);
    tell("", root.dataset["going"]);
    const get = async (where: string | undefined) => {
      const answer = await fetch(where ?? "");
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.json();
    };
    try {
      const [record, bounds]: [GameRecord, number[][]] = await Promise.all([
        get(root.dataset["record"]),
        get(root.dataset["bounds"]),
      ]);
      const found = await verify(record, bounds, (done, of) => {
        if (bar) [bar.max, bar.value] = [of, done];
      });
      if (found.good) tell("good", root.dataset["good"], { draws: found.draws });
      else {
        const words = { seed: "badSeed", share: "badShare", deal: "badDeal", move: "badMove", form: "badForm" }[
          found.why
        ];
        const name = "seat" in found ? (names[found.seat] ?? "?") : "";
        tell("bad", root.dataset[words], { name, move: "move" in found ? found.move : 0 });
      }
    } catch {
      tell("", root.dataset["trouble"]);
    }
    hidden(bar, true);
    verdict?.scrollIntoView({ block: "nearest" });
  }

  button?.addEventListener("click", () => void run());
  root.hidden = false;
}

function fileForm(form: HTMLFormElement): void {
  const trouble = form.querySelector<HTMLElement>("#import-trouble");
  const words = form.dataset;

  function complain(text: string | undefined): void {
    if (trouble) trouble.textContent = text ?? "";
    hidden(trouble, false);
  }

  /** What is wrong with a file as far as that can be seen without knowing the rules. */
  function misread(text: string): string | undefined {
    let record: unknown;
    try {
      record = JSON.parse(text);
    } catch {
      return words["notJson"];
    }
    if (typeof record !== "object" || record === null || !("polikarp" in record) || !("moves" in record))
      return words["notRecord"];
    return undefined;
  }

  async function send(): Promise<void> {
    const file = form.querySelector<HTMLInputElement>("input[type=file]")?.files?.[0];
    if (!file) return complain(words["empty"]);
    hidden(trouble, true);
    let text: string;
    try {
      text = await file.text();
    } catch {
      return complain(words["unreadable"]);
    }
    const wrong = misread(text);
    if (wrong !== undefined) return complain(wrong);
    try {
      const answer = await fetch(`/api/records?language=${document.documentElement.lang}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: text,
      });
      const told = await answer.json();
      if (answer.ok) return location.assign(`/t/${told.table}/replay`);
      if (answer.status === 413) complain(words["large"]);
      else if (told.reason.key === "record_fails") complain(words["fails"]?.replace("{text}", told.reason.args.text));
      else complain(told.reason.text);
    } catch {
      complain(words["trouble"]);
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
}

// What is there only for those without this script.
document.querySelectorAll<HTMLElement>("[data-plain]").forEach((one) => hidden(one, true));
const live = document.getElementById("live");
const bar = document.getElementById("replay");
if (live && bar) replay(live, bar);
document.querySelectorAll<HTMLElement>("[data-verify]").forEach(checking);
document.querySelectorAll<HTMLFormElement>("[data-import]").forEach(fileForm);
