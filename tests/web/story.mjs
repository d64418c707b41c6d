// Follows stories as a page does: a line of JSON in, a line of JSON out. A case is a message to one of several viewers,
// answered with what that viewer's page is made of then, or old data and what makes new data of it.
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { Story, apply } = await import(pathToFileURL(process.argv[2]));
const stories = new Map();
const hash = (data) => createHash("sha256").update(JSON.stringify(written(data))).digest("hex");

/** Fields have no order. */
function written(data) {
  if (Array.isArray(data)) return data.map(written);
  if (typeof data !== "object" || data === null) return data;
  const fields = Object.keys(data).sort();
  return fields.map((name) => [name, written(data[name])]);
}

function answer({ viewer, message, old, difference }) {
  if (!message) return apply(old, difference);
  if (!stories.has(viewer)) stories.set(viewer, new Story());
  const story = stories.get(viewer);
  const fits = story.take(message);
  const beats = story.beats.map(({ told, shown }) => ({ told, page: hash(shown) }));
  return { fits, page: hash(story.shown), told: story.told, step: story.step, place: story.place, beats };
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`);
