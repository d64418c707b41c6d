// A scene: what has just happened, played out over the board. It is a <details> that names itself (data-scene): when
// that is a new one, it opens and plays (data-playing, which styles act on). It closes after its data-seconds, or
// when something else is touched or pressed; so nobody has to wait for it. It can be opened again by hand.

let closing = 0;

function find(root: Element): HTMLDetailsElement | null {
  return root.querySelector<HTMLDetailsElement>("details[data-scene]");
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
  clearTimeout(closing);
  closing = window.setTimeout(() => scene.matches(":hover") || close(scene), Number(scene.dataset["seconds"]) * 1000);
}

function close(scene: HTMLDetailsElement): void {
  clearTimeout(closing);
  scene.open = false;
  delete scene.dataset["playing"];
}

document.addEventListener("pointerdown", (event) => {
  const scene = find(document.body);
  if (scene?.open && event.target instanceof Node && !scene.contains(event.target)) close(scene);
});
document.addEventListener("keydown", () => {
  const scene = find(document.body);
  if (scene?.open && "playing" in scene.dataset) close(scene);
});
