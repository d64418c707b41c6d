// Short soft sounds, made on the spot; off until somebody turns them on.

const KEPT = "polikarp-sound";
type Voice = (at: number) => void;
let context: AudioContext | null = null;

function tone(
  at: number,
  pitch: number,
  seconds: number,
  loud: number,
  shape: OscillatorType = "sine",
  to = pitch,
): void {
  if (!context) return;
  const source = context.createOscillator();
  const gain = context.createGain();
  source.type = shape;
  source.frequency.setValueAtTime(pitch, at);
  source.frequency.exponentialRampToValueAtTime(to, at + seconds);
  gain.gain.setValueAtTime(loud, at);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
  source.connect(gain).connect(context.destination);
  source.start(at);
  source.stop(at + seconds);
}

function rustle(at: number, seconds: number, pitch: number, loud: number): void {
  if (!context) return;
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * seconds), context.sampleRate);
  const data = buffer.getChannelData(0);
  for (let i = 0; i < data.length; i++) data[i] = (Math.random() * 2 - 1) * (1 - i / data.length);
  const source = context.createBufferSource();
  const filter = context.createBiquadFilter();
  const gain = context.createGain();
  source.buffer = buffer;
  filter.type = "bandpass";
  filter.frequency.value = pitch;
  gain.gain.value = loud;
  source.connect(filter).connect(gain).connect(context.destination);
  source.start(at);
}

const VOICES: Record<string, Voice> = {
  card: (at) => rustle(at, 0.14, 2600, 0.16),
  page: (at) => rustle(at, 0.26, 1500, 0.16),
  die: (at) => [0, 0.06, 0.1].forEach((later) => tone(at + later, 320 - later * 900, 0.05, 0.1, "triangle", 160)),
  coin: (at) => [1560, 2090].forEach((pitch, nth) => tone(at + nth * 0.06, pitch, 0.18, 0.05)),
  bell: (at) => [880, 1320].forEach((pitch) => tone(at, pitch, 0.29, 0.07)),
  pop: (at) => [420, 840].forEach((pitch, nth) => tone(at + nth * 0.07, pitch, 0.16, 0.1, "sine", pitch * 1.6)),
  slap: (at) => rustle(at, 0.07, 700, 0.3),
  tock: (at) => tone(at, 240, 0.09, 0.14, "triangle", 120),
  horn: (at) => [262, 392].forEach((pitch, nth) => tone(at + nth * 0.12, pitch, 0.28, 0.07, "sawtooth")),
};

function on(): boolean {
  return localStorage.getItem(KEPT) === "on";
}

/** Play sounds one after another; the same one sounds once. */
export function sound(...names: string[]): void {
  if (!on()) return;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  [...new Set(names)].slice(0, 4).forEach((name, nth) => VOICES[name]?.((context?.currentTime ?? 0) + nth * 0.18));
}

export function soundSwitches(): void {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>("[data-sound]")];
  const show = () => buttons.forEach((one) => one.setAttribute("aria-pressed", String(on())));
  for (const one of buttons) {
    one.hidden = false;
    one.addEventListener("click", () => {
      localStorage.setItem(KEPT, on() ? "off" : "on");
      show();
      sound("bell");
    });
  }
  show();
}
