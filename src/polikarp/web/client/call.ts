// Calling somebody who looks at something else: a notice of the browser, if they asked for it.

const KEPT = "polikarp-bell";

function wanted(): boolean {
  return "Notification" in window && Notification.permission === "granted" && localStorage.getItem(KEPT) === "on";
}

export function call(text: string): void {
  if (!wanted() || !document.hidden) return;
  const notice = new Notification("Polikarp", { body: text, tag: location.pathname });
  notice.onclick = () => {
    window.focus();
    notice.close();
  };
}

export function callSwitch(): void {
  if (!("Notification" in window)) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-bell]")) {
    button.hidden = false;
    const show = () => button.setAttribute("aria-pressed", String(wanted()));
    button.addEventListener("click", async () => {
      localStorage.setItem(KEPT, wanted() ? "off" : "on");
      if (Notification.permission === "default") await Notification.requestPermission();
      show();
    });
    show();
  }
}
