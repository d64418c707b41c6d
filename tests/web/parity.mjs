// Draws pages with the compiled templates. Reads cases as JSON, one a line, and answers each with a line of JSON: the
// page itself, or only its hash.
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [runtime, ...scripts] = process.argv.slice(2);
const { Drawing } = await import(pathToFileURL(runtime));
const [pages, ...words] = await Promise.all(scripts.map((file) => import(pathToFileURL(file))));
const drawings = words.map((one) => new Drawing(pages, one.default));

for await (const line of createInterface({ input: process.stdin })) {
  const { language, seen, whole } = JSON.parse(line);
  const { live, track } = drawings[language].table(seen);
  const page = `${live}\n${track}`;
  const answer = whole ? page : createHash("sha256").update(page).digest("hex");
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
