// Says phrases with the client's formatter: a line of JSON in, a line of JSON out.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { plain, pluralForm, say } = await import(pathToFileURL(process.argv[2]));

function answer({ numbers, language, layers, group, key, args, names }) {
  if (numbers) return numbers.map((number) => pluralForm(language, number));
  return layers ? say(layers, group, key, args, names) : plain(key);
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`);
