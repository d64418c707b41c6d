// A scene: what has just happened, played out over the board. It is a <details> that names itself (data-scene): when
// that is a new one, it opens and plays (data-playing, which styles act on). It closes by itself after its
// data-seconds, wherever the pointer rests, and at once when it is pressed, by Escape, or when the focus goes under it.
// A press elsewhere hides nothing that was not seen: it shows the outcome, for a moment. What a reader opens by hand
// no clock closes.

const OUTCOME_SHOWN = 2000;

let closing = 0;

function find(root: Element): HTMLDetailsElement | null {
  return root.querySelector<HTMLDetailsElement>("details[data-scene]");
}

function openScene(): HTMLDetailsElement | null {
  const scene = find(document.body);
  return scene?.open ? scene : null;
}

/** Which scene a page holds. */
export function sceneOf(root: Element): string {
  return find(root)?.dataset["scene"] ?? "";
}

export function playScene(root: Element, before: string): void {
  const scene = find(root);
  if (!scene || scene.dataset["scene"] === before) return;
  delete scene.dataset["playing"];
  scene.open = true;
  scene.getBoundingClientRect(); // so that what played once begins anew
  scene.dataset["playing"] = "";
  closeAfter(Number(scene.dataset["seconds"]) * 1000);
}

function closeAfter(milliseconds: number): void {
  clearTimeout(closing);
  closing = window.setTimeout(closeScene, milliseconds);
}

/** Close what is open; says whether anything was. */
export function closeScene(): boolean {
  const scene = openScene();
  if (scene) scene.open = false;
  return scene !== null;
}

document.addEventListener(
  "toggle",
  (event) => {
    const scene = event.target;
    if (!(scene instanceof HTMLDetailsElement) || scene.dataset["scene"] === undefined || scene.open) return;
    clearTimeout(closing);
    delete scene.dataset["playing"];
  },
  true,
);
document.addEventListener("click", (event) => {
  const pressed = event.target instanceof Element ? event.target : null;
  if (pressed && !pressed.closest("summary") && openScene()?.contains(pressed)) closeScene();
});
document.addEventListener("pointerdown", (event) => {
  const scene = openScene();
  if (!scene || !(event.target instanceof Node) || scene.contains(event.target)) return;
  if (!("playing" in scene.dataset)) closeScene();
  else {
    delete scene.dataset["playing"];
    closeAfter(OUTCOME_SHOWN);
  }
});
document.addEventListener("focusin", (event) => {
  const scene = openScene();
  const focused = event.target instanceof Node ? event.target : null;
  if (focused && scene?.parentElement?.contains(focused) && !scene.contains(focused)) closeScene();
});
