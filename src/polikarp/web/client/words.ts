// From phrases to sentences in the browser: the formatter of engine/words.py once more, over the words that a table's
// page asks for. tests/web/words.json has what both must say.

export type Arg = number | string | number[];
export type Args = Record<string, Arg>;
type Tables = { [key: string]: string | Tables };

/** The texts of one file of words, with the terms and names of arguments that hold there. */
export interface Layer {
  language: string;
  texts: Record<string, Record<string, string>>;
  terms: Record<string, Record<string, Record<string, string>>>;
  seats: string[]; // arguments that are seats
  like: Record<string, string>; // arguments that are said by the terms of others
}

/** Words in one language, each voice from its own file down to what it falls back to. */
export interface Words {
  game: Layer[];
  page: Layer[];
  server: Layer[];
  tables: Tables; // groups of the game's words as they are
}

const FIELD = /\{([\p{L}\p{N}_]+)(?:\.([\p{L}\p{N}_]+))?(?:([|#])([^{}]*))?\}/gu;
const UNKNOWN = "?"; // an argument that is not given

export const capital = (text: string): string => {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return text === "" ? "" : first.toUpperCase() + text.slice(first.length);
};

/** A key in plain words. */
export const plain = (key: string): string =>
  capital(
    key
      .split(/[^\p{L}\p{N}]+/u)
      .join(" ")
      .trim(),
  );

// Which plural form goes with a whole number, counted from 0, in CLDR's order: engine/languages.py names them.
const one = (number: number): number => (number === 1 ? 0 : 1);
const upToOne = (number: number): number => (number < 2 ? 0 : 1);
const always = (): number => 0;
const few = (number: number): boolean => [2, 3, 4].includes(number % 10) && ![12, 13, 14].includes(number % 100);
const teens = (number: number): boolean => (number % 100 >= 11 && number % 100 <= 19) || number % 10 === 0;
const czech = (number: number): number => (number === 1 ? 0 : number >= 2 && number <= 4 ? 1 : 2);
const polish = (number: number): number => (number === 1 ? 0 : few(number) ? 1 : 2);
const russian = (number: number): number => (number % 10 === 1 && number % 100 !== 11 ? 0 : few(number) ? 1 : 2);
const lithuanian = (number: number): number => (teens(number) ? 2 : number % 10 === 1 ? 0 : 1);
const latvian = (number: number): number => (teens(number) ? 0 : number % 10 === 1 ? 1 : 2);
const romanian = (number: number): number =>
  number === 1 ? 0 : number === 0 || (number % 100 >= 1 && number % 100 <= 19) ? 1 : 2;
const slovenian = (number: number): number => ({ 1: 0, 2: 1, 3: 2, 4: 2 })[number % 100] ?? 3;

const PLURALS: Record<string, (number: number) => number> = {
  be: russian,
  cs: czech,
  fr: upToOne,
  hr: russian,
  ja: always,
  lt: lithuanian,
  lv: latvian,
  pl: polish,
  pt: upToOne,
  ro: romanian,
  ru: russian,
  sk: czech,
  sl: slovenian,
  sr: russian,
  uk: russian,
  zh: always,
};

export const pluralForm = (language: string, number: number): number => (PLURALS[language] ?? one)(Math.abs(number));

/** A place in a template where an argument goes. */
interface Field {
  name: string;
  form: string;
  joint: string;
  variants: string[];
}

const parsed = new Map<string, (string | Field)[]>();

/** A template as texts and fields in turn. The same few are said again and again. */
function partsOf(template: string): (string | Field)[] {
  const known = parsed.get(template);
  if (known !== undefined) return known;
  const parts: (string | Field)[] = [];
  let end = 0;
  for (const found of template.matchAll(FIELD)) {
    const [whole, name = "", form = "", joint = "", variants = ""] = found;
    parts.push(template.slice(end, found.index), { name, form, joint, variants: variants.split("|") });
    end = found.index + whole.length;
  }
  parts.push(template.slice(end));
  parsed.set(template, parts);
  return parts;
}

const fieldsOf = (template: string): Field[] => partsOf(template).filter((part) => typeof part !== "string");

function own<T>(table: Record<string, T> | undefined, key: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}

function term(layer: Layer, name: string, value: string, form: string): string {
  const forms = own(own(layer.terms, name), value);
  return own(forms, form) || own(forms, "nom") || plain(value).toLowerCase();
}

/** An argument as people say it: seats by their names, terms in the form that is asked for. */
function said(layer: Layer, name: string, value: Arg, form: string, names: string[]): string {
  if (layer.seats.includes(name) && typeof value !== "string")
    return [value]
      .flat()
      .map((seat) => names[seat] ?? String(seat + 1))
      .join(" + ");
  const kind = own(layer.like, name) ?? name;
  if (form || Object.hasOwn(layer.terms, kind)) {
    const each = String(value)
      .split(/\s+/u)
      .filter((part) => part !== "");
    return each.map((part) => term(layer, kind, part, form || "nom")).join(", ");
  }
  return String(value);
}

/** A template with its arguments put in. */
function fill(layer: Layer, template: string, args: Args, names: string[]): string {
  const put = ({ name, form, joint, variants }: Field): string => {
    const value = own(args, name) ?? UNKNOWN;
    if (joint === "" || typeof value !== "number") return said(layer, name, value, form, names);
    const word = variants[Math.min(pluralForm(layer.language, value), variants.length - 1)]!;
    return joint === "#" ? `${value} ${word}` : word;
  };
  const parts = partsOf(template);
  const sentence = parts.map((part) => (typeof part === "string" ? part : put(part))).join("");
  const [before, opening] = parts;
  const named = before === "" && typeof opening === "object" && layer.seats.includes(opening.name);
  return named ? sentence : capital(sentence); // a name is written as its owner writes it
}

const holds = (layers: Layer[], group: string, key: string): Layer[] =>
  layers.filter((layer) => own(own(layer.texts, group), key) !== undefined);

/** The sentence of a key and its arguments, from the first file that has it and can say all of it. */
export function say(layers: Layer[], group: string, key: string, args: Args, names: string[]): string {
  const holders = holds(layers, group, key);
  const able = (layer: Layer): boolean =>
    fieldsOf(layer.texts[group]![key]!).every(({ name }) => Object.hasOwn(args, name));
  const holder = holders.find(able) ?? holders[0];
  if (holder !== undefined) return fill(holder, holder.texts[group]![key]!, args, names);
  const values = Object.entries(args).map(([name, value]) => said(layers[0]!, name, value, "", names));
  return values.length ? `${plain(key)}: ${values.join(", ")}` : plain(key);
}

/** The words of a table's page: `Speaker` of web/render.py. */
export class Speaker {
  constructor(
    readonly words: Words,
    readonly names: string[],
  ) {}

  page(key: string, args: Args = {}): string {
    return say(this.words.page, "page", key, args, this.names);
  }

  ofGame(group: string, key: string, args: Args): string {
    const { game, page } = this.words;
    const layers = holds(game, group, key).length || !holds(page, group, key).length ? game : page;
    return say(layers, group, key, args, this.names);
  }

  find(path: string[]): string | null {
    const [group = "", key = ""] = path;
    if (path.length === 2) {
      const holder = [...holds(this.words.game, group, key), ...holds(this.words.page, group, key)][0];
      return holder === undefined ? null : holder.texts[group]![key]!;
    }
    let at: string | Tables | undefined = this.words.tables;
    for (const part of path) at = typeof at === "object" ? own(at, part) : undefined;
    return typeof at === "string" ? at : null;
  }

  texts(group: string): Tables {
    const found = own(this.words.tables, group);
    return typeof found === "object" ? found : {};
  }

  term(name: string, value: string, form: string): string {
    return term(this.words.game[0]!, name, value, form);
  }

  /** A line of the log in words. What was told under older rules may have none any more. */
  sentence(key: string, args: Args): string | null {
    if (key === "undone") return say(this.words.server, "event", key, args, this.names);
    try {
      return this.ofGame("event", key, args);
    } catch {
      return null;
    }
  }
}
