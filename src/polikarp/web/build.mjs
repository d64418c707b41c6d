// Bundles the pages: client, styles (the games' too), fonts and the icons that templates name, into built/.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.join(here, "built");
const games = path.join(here, "..", "games");
const require = createRequire(path.join(process.cwd(), "package.json"));

async function gamePages() {
  const folders = await readdir(games, { withFileTypes: true });
  const pages = folders.filter((one) => one.isDirectory()).map((one) => path.join(games, one.name, "page"));
  return pages.filter((page) => existsSync(page)).sort();
}

async function text(folder) {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".html")).sort();
  return (await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")))).join("\n");
}

await mkdir(out, { recursive: true });
const before = await readdir(out);
const pages = await gamePages();

const styles = pages.map((page) => path.join(page, "style.css")).filter((file) => existsSync(file));
const sheet = [path.join(here, "style", "pages.css"), ...styles]
  .map((file) => `@import ${JSON.stringify(file)};`).join("\n");
const shared = {
  bundle: true, minify: true, outdir: out, entryNames: "[name]-[hash]", assetNames: "[name]-[hash]", metafile: true,
  nodePaths: [path.join(process.cwd(), "node_modules")], loader: { ".woff2": "file" }, logLevel: "warning",
};
const made = [
  await build({ ...shared, entryPoints: { client: path.join(here, "client", "client.ts") }, target: "es2022", format: "esm" }),
  await build({ ...shared, stdin: { contents: sheet, resolveDir: here, loader: "css", sourcefile: "pages.css" },
    entryNames: "pages-[hash]" }),
];
const files = {};
for (const { metafile } of made)
  for (const name of Object.keys(metafile.outputs)) {
    const base = path.basename(name);
    if (!/\.(js|css)$/.test(base)) continue;
    files[base.endsWith(".js") ? "client.js" : "pages.css"] = base;
    await writeFile(path.join(out, `${base}.gz`), gzipSync(await readFile(path.join(out, base)), { level: 9 }));
  }

// Only the icons that are used are shipped. Templates and styles name them as icon("name").
const set = JSON.parse(await readFile(require.resolve("@iconify-json/game-icons/icons.json"), "utf8")).icons;
const parts = [...["", "default", "live"].map((name) => path.join(here, "templates", name)), ...pages];
const sources = (await Promise.all(parts.map(text))).join("\n");
const listed = JSON.parse(await readFile(path.join(here, "icons.json"), "utf8"));
const names = new Set([...listed, ...[...sources.matchAll(/icon\("([a-z0-9-]+)"/g)].map((found) => found[1])]);
const icons = {};
for (const name of [...names].sort()) {
  if (!set[name]) throw new Error(`there is no icon ${name}`);
  icons[name] = set[name].body;
}
await writeFile(path.join(out, "icons.json"), JSON.stringify(icons));

const crown = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><g color="#B8860B">${set.crown.body}</g></svg>`;
const name = `crown-${createHash("sha256").update(crown).digest("hex").slice(0, 8)}.svg`;
await writeFile(path.join(out, name), crown);
files["crown.svg"] = name;
await writeFile(path.join(out, "files.json"), JSON.stringify(files));

// What was built before goes last: a server that runs beside this has had its files all the time.
const kept = new Set(["files.json", "icons.json", name, ...Object.values(files), ...Object.values(files).map((one) => `${one}.gz`),
  ...made.flatMap(({ metafile }) => Object.keys(metafile.outputs).map((one) => path.basename(one)))]);
for (const old of before) if (!kept.has(old)) await rm(path.join(out, old), { recursive: true, force: true });
