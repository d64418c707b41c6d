// The bubble: says beside a thing why it can not be used, or what it is. Esc or the next tap closes it.

export interface Reason {
  key?: string;
  rule: string;
  text: string;
}

const bubble = document.getElementById("bubble");
const GAP = 12;

/** Close it; says whether it was open. */
export function hush(): boolean {
  const open = bubble?.hidden === false;
  if (bubble) bubble.hidden = true;
  return open;
}

/** Show a reason beside a thing, or at the foot of the page if it is about no thing. */
export function tell(reason: Reason, beside: Element | null = null, title = ""): void {
  if (!bubble) return;
  bubble.replaceChildren();
  if (title) {
    const head = document.createElement("b");
    head.textContent = title;
    bubble.append(head);
  }
  bubble.append(reason.text);
  if (reason.rule) {
    const link = document.createElement("a");
    link.href = `/rules/${reason.rule.split(".")[0]}#${reason.rule}`;
    link.target = "_blank";
    link.textContent = reason.rule;
    bubble.append(" ", link);
  }
  bubble.hidden = false;
  place(bubble, beside);
}

function place(box: HTMLElement, beside: Element | null): void {
  const shown = beside instanceof HTMLElement && beside.offsetParent === null ? beside.closest("[data-drop]") : beside;
  const thing = shown?.getBoundingClientRect();
  box.classList.toggle("loose", !thing?.width);
  if (!thing?.width) {
    box.style.left = box.style.top = "";
    return;
  }
  const size = box.getBoundingClientRect();
  const middle = thing.left + thing.width / 2;
  const left = Math.min(Math.max(8, middle - size.width / 2), innerWidth - size.width - 8);
  const above = thing.top - size.height - GAP;
  const below = above < 8;
  box.classList.toggle("below", below);
  box.style.left = `${left}px`;
  box.style.top = `${below ? Math.min(thing.bottom + GAP, innerHeight - size.height - 8) : above}px`;
  box.style.setProperty("--tip", `${Math.min(Math.max(18, middle - left), size.width - 18)}px`);
}
