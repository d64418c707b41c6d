// How a table that was drawn gets onto the screen: in parts, of which only those that changed are patched. A part is an
// element with an id, or only its beginning; whatever lies between parts has to stay as it was.
import { Idiomorph } from "idiomorph/dist/idiomorph.esm.js";

export const RINGED = "data-changed"; // the screen's own: the page that is sent knows nothing of it
const BOUNDARY = "<!--part-->";
const ID = /^<[^>]*? id="([^"]*)"/;
const BEGINNING = /^<[^<]*>$/;

let shown: string[] = []; // the parts that are on the screen
let coming: string[] = []; // the parts that will be

/** Take in the table's HTML. */
export function receive(html: string): void {
  coming = html.split(BOUNDARY).map((part) => part.trim());
}

function idOf(part: string | undefined): string {
  return ID.exec(part ?? "")?.[1] ?? "";
}

/** Can what changed be patched part by part? */
function fits(): boolean {
  return (
    shown.length === coming.length &&
    coming.every((part, at) => part === shown[at] || (idOf(part) && idOf(part) === idOf(shown[at])))
  );
}

/** Patch what changed of one element, if that can be; the rest will follow. */
export function showPart(root: Element): boolean {
  if (!fits()) return false;
  coming.forEach((part, at) => root.contains(document.getElementById(idOf(part))) && place(at));
  return true;
}

/** Patch all that changed. */
export function showParts(live: Element): void {
  if (fits()) coming.forEach((_, at) => place(at));
  else patch(live, coming.join(BOUNDARY));
  shown = coming;
}

function place(at: number): void {
  const part = coming[at] ?? "";
  const element = part === shown[at] ? null : document.getElementById(idOf(part));
  if (element && BEGINNING.test(part)) patchAttributes(element, part);
  else if (element) patch(element, part, "outerHTML");
  shown[at] = part;
}

function parsed(html: string): DocumentFragment {
  const made = document.createElement("template");
  made.innerHTML = html;
  return made.content;
}

function patchAttributes(element: Element, beginning: string): void {
  const fresh = parsed(beginning).firstElementChild;
  for (const name of element.getAttributeNames())
    if (name !== RINGED && !fresh?.hasAttribute(name)) element.removeAttribute(name);
  for (const { name, value } of fresh?.attributes ?? [])
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function patch(root: Element, html: string, morphStyle: "innerHTML" | "outerHTML" = "innerHTML"): void {
  Idiomorph.morph(root, parsed(html), {
    morphStyle,
    // what is being typed stays; all else is patched
    ignoreActiveValue: document.activeElement instanceof HTMLInputElement,
    callbacks: {
      beforeNodeMorphed: (old: Node, fresh: Node) => !old.isEqualNode(fresh), // most of a page stays as it is
      beforeAttributeUpdated: (name: string, node: Element) =>
        name !== RINGED &&
        !(
          (["open", "data-playing"].includes(name) && node instanceof HTMLDetailsElement) ||
          (name === "checked" && node instanceof HTMLInputElement)
        ),
    },
  });
}
