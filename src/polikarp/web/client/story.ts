// The story of a page: what it is made of, as it was sent once and is kept up to date by what differs. It knows nothing
// of a screen.
import type { Seen, Table, Told } from "./runtime";

/** What makes new data of old: `[x]` puts x there, an object names the fields or places that changed. The place behind
 * the end of a list makes it longer. */
type Difference = [unknown] | { [field: string]: Difference };

export interface Start {
  type: "start";
  story: string;
  serial: number;
  step: number;
  page: Seen["shown"];
  told_from: number;
  told: Told[];
  chat: [string, string][];
}

/** A part of a step: what is told, and what then differs. */
interface Part {
  told?: Told[];
  page?: Difference;
}

interface News extends Part {
  type: "step" | "change" | "chat";
  serial: number;
  step?: number;
  by?: number;
  beats?: Part[]; // where the rules cut a move, instead of one part
  from?: number;
  lines?: [string, string][];
}

export type StoryMessage = Start | News;

/** What is to be seen before what comes next: the last one of a step is the present. */
export interface Beat {
  told: Told[];
  shown: Seen["shown"];
}

/** Where a page is in its story, for whoever goes on with it. */
export interface Place {
  story: string;
  serial: number;
}

export const isStory = (message: { type: string }): message is StoryMessage =>
  ["start", "step", "change", "chat"].includes(message.type);

/** New data out of old. What did not change is the very same, so that a position costs only what differs. */
export function apply(old: unknown, difference: Difference): unknown {
  if (Array.isArray(difference)) return difference[0];
  if (typeof old !== "object" || old === null) throw new Error("a change does not fit");
  const made = (Array.isArray(old) ? [...old] : { ...old }) as Table;
  for (const [field, change] of Object.entries(difference)) {
    const added = Array.isArray(made) && Array.isArray(change) && field === String(made.length);
    if (!added && !Object.hasOwn(made, field)) throw new Error("a change does not fit");
    made[field] = apply(made[field], change);
  }
  return made;
}

/** One page after the other. */
function follow(shown: Seen["shown"], parts: Part[]): Beat[] {
  return parts.map(({ told = [], page }) => {
    if (page) shown = apply(shown, page) as Seen["shown"];
    return { told, shown };
  });
}

const chatLine = ([name, text]: [string, string]): Table => ({ name, text });

export class Story {
  private id = "";
  private serial = -1;
  step = 0;
  shown: Seen["shown"] | null = null;
  beats: Beat[] = []; // of the last step, in their order
  told: Told[] = [];
  first = 0; // the number of the first line that is known
  chat: Table[] = [];

  get place(): Place {
    return { story: this.id, serial: this.serial };
  }

  /** Take a message in; says whether it fits what is here. What does not fit changes nothing. */
  take(message: StoryMessage): boolean {
    if (message.type === "start") {
      this.id = message.story;
      this.step = message.step;
      this.shown = message.page;
      this.beats = [];
      this.told = message.told;
      this.first = message.told_from;
      this.chat = message.chat.map(chatLine);
    } else if (!this.shown || message.serial !== this.serial + 1) return false;
    else {
      let beats: Beat[];
      try {
        beats = follow(this.shown, message.beats ?? [message]);
      } catch {
        return false;
      }
      if (message.type === "step") this.beats = beats;
      this.shown = beats.at(-1)?.shown ?? this.shown;
      this.told = this.told.concat(...beats.map((beat) => beat.told));
      this.step = message.step ?? this.step;
      if (message.lines) this.chat = [...this.chat, ...message.lines.map(chatLine)];
    }
    this.serial = message.serial;
    return true;
  }
}
