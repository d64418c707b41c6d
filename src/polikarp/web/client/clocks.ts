// Clocks count down between updates; one that does not run shows what is in reserve.

let ticking = 0;

function spoken(seconds: number): string {
  const days = Math.floor(seconds / 86400);
  const hours = Math.floor((seconds % 86400) / 3600);
  const minutes = String(Math.floor((seconds % 3600) / 60));
  const rest = String(Math.floor(seconds % 60)).padStart(2, "0");
  if (days) return `${days} d ${hours} h`;
  return hours ? `${hours}:${minutes.padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

export function clocks(root: HTMLElement): void {
  clearInterval(ticking);
  const all = [...root.querySelectorAll<HTMLElement>(".clock")];
  const tick = () => {
    for (const clock of all) {
      const until = clock.dataset["until"];
      const left = until ? Math.max(0, Number(until) - Date.now() / 1000) : Number(clock.dataset["reserve"]);
      clock.textContent = spoken(left);
      clock.classList.toggle("late", Boolean(until) && left < 20);
    }
  };
  tick();
  if (all.length) ticking = window.setInterval(tick, 500);
}
