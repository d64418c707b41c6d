// What compiled templates run on: Jinja's filters, tests and loops, and Python's idea of truth and text. Templates are
// the server's own (web/compiled.py makes them), so both draw the same page, byte for byte.

import { Speaker, plain, type Args, type Words } from "./words.js";

export type Table = { [key: string]: unknown };
export type Callable = (args: unknown[], named?: Table) => unknown;
type Module = Table & { $: string };
type Template = (context: Table) => Module;
type Templates = Record<string, Template>;

/** Text that is HTML already. */
export class Safe {
  constructor(readonly html: string) {}
  toString(): string {
    return this.html;
  }
}

const CODES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };

function there(value: unknown): unknown {
  if (value === undefined) throw new Error("a template names what is not there");
  return value;
}

/** A value as Python prints it. */
function text(value: unknown): string {
  if (value === true) return "True";
  if (value === false) return "False";
  return there(value) === null ? "None" : String(value);
}

function esc(value: unknown): string {
  if (value instanceof Safe) return value.html;
  const plainly = text(value);
  return /[&<>"']/.test(plainly) ? plainly.replace(/[&<>"']/g, (letter) => CODES[letter]!) : plainly;
}

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Safe);

function size(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isTable(value) ? Object.keys(value).length : [...text(value)].length;
}

function yes(value: unknown): boolean {
  return typeof there(value) === "object" && value !== null ? size(value) > 0 : Boolean(value);
}

/** What a loop goes through: a list, the keys of a table, the letters of a text. */
function items(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isTable(value) ? Object.keys(value) : [...text(value)];
}

const loop = (length: number, at: number): Table => ({
  index: at + 1,
  index0: at,
  first: at === 0,
  last: at === length - 1,
  length,
});

/** An entry of a table, or of a list or text counted from its end where the number is negative. */
function get(value: unknown, key: unknown): unknown {
  if (isTable(value)) return Object.hasOwn(value, key as string) ? value[key as string] : undefined;
  if (there(value) === null) throw new Error(`nothing has no ${String(key)}`);
  return typeof key === "number" ? items(value).at(key) : undefined;
}

function slice(value: unknown, from: unknown, to: unknown): unknown {
  const cut = items(value).slice((from ?? undefined) as number | undefined, (to ?? undefined) as number | undefined);
  if (Array.isArray(value)) return cut;
  return value instanceof Safe ? new Safe(cut.join("")) : cut.join("");
}

function eq(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => eq(each, other[at]));
  if (one instanceof Safe || other instanceof Safe) return String(one) === String(other);
  return there(one) === there(other);
}

function has(all: unknown, one: unknown): boolean {
  if (Array.isArray(all)) return all.includes(one) || (typeof one === "object" && all.some((each) => eq(each, one)));
  return isTable(all) ? Object.hasOwn(all, String(one)) : text(all).includes(text(one));
}

const joined = (all: unknown[], by = ""): unknown =>
  all.some((one) => one instanceof Safe) ? new Safe(all.map(esc).join(esc(by))) : all.map(text).join(by);

function add(one: unknown, other: unknown): unknown {
  if (Array.isArray(one)) return [...one, ...items(other)];
  return typeof one === "number" ? one + Number(other) : joined([one, other]);
}

const mod = (one: number, by: number): number => ((one % by) + by) % by;
const attribute = (value: unknown, path: unknown): unknown => String(path).split(".").reduce(get, value);

/** A filter of texts leaves HTML what it was. */
function changed(value: unknown, change: (text: string) => string): unknown {
  return value instanceof Safe ? new Safe(change(value.html)) : change(text(value));
}

const tests: Record<string, (value: unknown, args: unknown[]) => boolean> = {
  boolean: (value) => typeof value === "boolean",
  defined: (value) => value !== undefined,
  eq: (value, [other]) => eq(value, other),
  in: (value, [all]) => has(all, value),
  mapping: (value) => isTable(value),
  ne: (value, [other]) => !eq(value, other),
  none: (value) => there(value) === null,
  sequence: (value) => typeof value === "string" || value instanceof Safe || Array.isArray(value) || isTable(value),
  string: (value) => typeof value === "string" || value instanceof Safe,
};

const holds = (value: unknown, [name, ...rest]: unknown[]): boolean =>
  name === undefined ? yes(value) : tests[String(name)]!(value, rest);

const numbers = (value: unknown): number[] => items(value) as number[];

function before(one: unknown, other: unknown): number {
  const [left, right] = [one, other].map((each) => (typeof each === "string" ? each.toLowerCase() : each)) as number[];
  return left! < right! ? -1 : left! > right! ? 1 : 0;
}

const filters: Record<string, (value: unknown, args: unknown[], named: Table) => unknown> = {
  default: (value, [other]) => (value === undefined ? other : value),
  int: (value) => Math.trunc(Number(value)) || 0,
  join: (value, [by]) => joined(items(value), by === undefined ? "" : text(by)),
  length: (value) => size(value),
  list: (value) => [...items(value)],
  map: (value, _args, named) => items(value).map((one) => attribute(one, named.attribute)),
  max: (value) => Math.max(...numbers(value)),
  min: (value) => Math.min(...numbers(value)),
  plain: (value) => plain(text(value)),
  reject: (value, args) => items(value).filter((one) => !holds(one, args)),
  rejectattr: (value, [name, ...args]) => items(value).filter((one) => !holds(attribute(one, name), args)),
  replace: (value, [old, made]) => changed(value, (whole) => whole.replaceAll(text(old), () => text(made))),
  safe: (value) => new Safe(text(value)),
  select: (value, args) => items(value).filter((one) => holds(one, args)),
  selectattr: (value, [name, ...args]) => items(value).filter((one) => holds(attribute(one, name), args)),
  sort: (value) => [...items(value)].sort(before),
  sum: (value) => numbers(value).reduce((sum, one) => sum + one, 0),
  trim: (value) => changed(value, (whole) => whole.trim()),
  unique: (value) => [...new Set(items(value))],
  upper: (value) => changed(value, (whole) => whole.toUpperCase()),
};

function range([first, end]: unknown[]): number[] {
  const [from, to] = end === undefined ? [0, Number(first)] : [Number(first), Number(end)];
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}

export type Runtime = Table;

/** Compiled templates, ready to draw with, but for those of a folder that is left out. */
function engine(make: (runtime: Runtime) => Templates, without = ""): Templates {
  const load = (name: unknown, context: Table): Module => templates[text(name)]!(context);
  const include = (names: unknown, context: Table, ignoreMissing: boolean): string => {
    const found = (Array.isArray(names) ? names : [names]).map(text).find((name) => Object.hasOwn(templates, name));
    if (found !== undefined) return load(found, context).$;
    if (ignoreMissing) return "";
    throw new Error(`there is no template ${String(names)}`);
  };
  const made = make({
    Safe,
    add,
    eq,
    esc,
    filters,
    get,
    has,
    include,
    items,
    load,
    loop,
    mod,
    slice,
    tests,
    yes,
    and: (one: unknown, other: () => unknown) => (yes(one) ? other() : one),
    or: (one: unknown, other: () => unknown) => (yes(one) ? one : other()),
    cat: (all: unknown[]) => joined(all),
    inside: (context: Table, own: Table) => ({ ...context, ...own }),
    split: (value: unknown, [by]: unknown[]) => text(value).split(text(by)),
  });
  const kept = Object.entries(made).filter(([name]) => without === "" || !name.startsWith(`${without}/`));
  const templates = Object.fromEntries(kept);
  return templates;
}

/** What the script of a game's table pages has. */
export interface Pages {
  templates: (runtime: Runtime) => Templates;
  icons: Record<string, string>;
  data: Table;
  emblems: Table;
}

/** What was told: a key and its arguments. */
export type Told = [string, Args];

/** What one viewer's page is made of; `shown` is a `Shown` of web/shown.py. */
export interface Seen {
  shown: Table & { view: Table | null; names: string[]; stage: string; past: boolean; log_lines: number | null };
  told: Told[];
  first?: number; // the number of the first line of `told`
  chat: Table[];
  nonce: string;
  notice: string;
}

const CHAT_LINES = 50; // that a page shows

function logLine(number: number, [kind, args]: Told, speaker: Speaker, past: boolean): Table {
  const said = speaker.sentence(kind, args);
  return {
    number,
    kind,
    args,
    seat: Number.isInteger(args.seat) ? args.seat : null,
    known: said !== null && !past,
    text: said ?? speaker.page("past_line", { text: kind }),
  };
}

/** The names that templates know: `page_context` of web/shown.py. */
export function pageContext(pages: Pages, words: Words, { shown, told, first = 0, chat, nonce, notice }: Seen): Table {
  const speaker = new Speaker(words, shown.names);
  const lines = told.map((one, number) => () => logLine(first + number, one, speaker, shown.past)).reverse();
  const icon: Callable = ([name, label]) => {
    const spoken = label === undefined || !yes(label) ? 'aria-hidden="true"' : `role="img" aria-label="${esc(label)}"`;
    return new Safe(`<svg class="icon" viewBox="0 0 512 512" ${spoken}>${pages.icons[text(name)] ?? ""}</svg>`);
  };
  const functions: Record<string, Callable> = {
    icon,
    range,
    t: ([key], named) => speaker.page(text(key), named as Args),
    w: ([group, key, args]) => speaker.ofGame(text(group), text(key), (args ?? {}) as Args),
    find: (path) => speaker.find(path.map(text)),
    texts: ([group]) => speaker.texts(text(group)),
    term: ([name, value, form]) => speaker.term(text(name), text(value), form === undefined ? "nom" : text(form)),
  };
  return {
    ...shown,
    ...functions,
    nonce,
    notice,
    data: pages.data,
    emblems: pages.emblems,
    board: shown.view === null ? null : shown.view.board,
    moves: shown.view === null ? [] : shown.view.moves,
    over: shown.stage === "over",
    log: lines.slice(0, shown.log_lines ?? lines.length).map((line) => line()),
    chat: chat.slice(-CHAT_LINES),
  };
}

/** A game's table pages, to be drawn here. */
export class Drawing {
  private readonly templates: Templates;

  constructor(
    private readonly pages: Pages,
    private readonly words: Words,
  ) {
    this.templates = engine(pages.templates);
  }

  /** The table, and how far the game is. Where a game's own part fails all are drawn by default, as the server does. */
  table(seen: Seen): { live: string; track: string } {
    const context = pageContext(this.pages, this.words, seen);
    const drawn = (name: string): string => {
      try {
        return this.templates[name]!(context).$;
      } catch (mistake) {
        console.warn(mistake);
        return engine(this.pages.templates, text(context.game))[name]!(context).$;
      }
    };
    return { live: drawn("table_live.html"), track: drawn("track.html") };
  }
}
