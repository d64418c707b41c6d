// All chance of a finished game, recomputed from its record: docs/record.md says how draws follow from seed and shares.
// The record does not say below which bound each draw is; the rules do, and the server tells them.

export interface GameRecord {
  commitment: string;
  seed: string | null;
  shares?: [number, string, string | null][];
  players: string[];
  dealt: number[];
  moves: [number, string, number[]?, (number | null)?][];
}

export type Verdict =
  | { good: true; draws: number }
  | { good: false; why: "seed" | "deal" | "form" }
  | { good: false; why: "share"; seat: number }
  | { good: false; why: "move"; move: number; seat: number };

type Bytes = Uint8Array<ArrayBuffer>;
const WORDS = 2 ** 32;
const text = new TextEncoder();

function unhex(digits: string): Bytes {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

async function hash(bytes: Bytes): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function key(bytes: Bytes): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

async function hmac(by: CryptoKey, message: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", by, message));
}

/** What all draws follow from: the seed, with the revealed shares mixed in if there are any. */
async function mix(seed: Bytes, shares: Bytes[]): Promise<Bytes> {
  if (!shares.length) return seed;
  const message = [...text.encode("polikarp shares")];
  for (const share of shares) message.push(0, 0, share.length >> 8, share.length & 255, ...share);
  return hmac(await key(seed), Uint8Array.from(message));
}

/** The draws of one step, each below its bound. */
async function draws(by: CryptoKey, step: number, bounds: number[]): Promise<number[]> {
  const drawn: number[] = [];
  let words: number[] = [];
  let block = 0;
  for (const bound of bounds) {
    const fair = WORDS - (WORDS % bound);
    let word = WORDS;
    while (word >= fair) {
      if (!words.length) {
        const digest = new DataView((await hmac(by, text.encode(`${step}:${block++}`))).buffer);
        words = Array.from({ length: 8 }, (_, at) => digest.getUint32(4 * at));
      }
      word = words.shift() ?? WORDS;
    }
    drawn.push(word % bound);
  }
  return drawn;
}

function same(one: number[], other: number[]): boolean {
  return one.length === other.length && one.every((number, at) => number === other[at]);
}

/** Whether everything that was drawn follows from what was promised. `bounds`: of the deal, then of each move. */
export async function verify(
  record: GameRecord,
  bounds: number[][],
  progress: (done: number, of: number) => void,
): Promise<Verdict> {
  if (bounds.length !== record.moves.length + 1) return { good: false, why: "form" };
  const seed = unhex(record.seed ?? "");
  if (seed.length !== 32 || (await hash(seed)) !== record.commitment) return { good: false, why: "seed" };
  const shares: Bytes[] = [];
  for (const [seat, promised, secret] of record.shares ?? []) {
    if (secret === null) continue; // promised and never shown: it does not count
    if (!(seat in record.players) || (await hash(unhex(secret))) !== promised)
      return { good: false, why: "share", seat };
    shares.push(unhex(secret));
  }
  const by = await key(await mix(seed, shares));
  let count = 0;
  for (const [step, asked] of bounds.entries()) {
    const move = record.moves[step - 1];
    const written = step ? (move?.[2] ?? []) : record.dealt;
    if (!same(await draws(by, step, asked), written))
      return move ? { good: false, why: "move", move: step, seat: move[0] } : { good: false, why: "deal" };
    count += written.length;
    progress(step + 1, bounds.length);
  }
  return { good: true, draws: count };
}
