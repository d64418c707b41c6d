// The line to the server: it comes back by itself (reconnect), and what was not answered is sent again under its id.

import type { Place } from "./story";

export interface Ears {
  message(message: any): void;
  lost(): void;
  found(): void;
  place(): Place; // where the page is in its story
}

const BEAT = 15_000;

export class Line {
  private socket: WebSocket | null = null;
  private unanswered = new Map<string, Record<string, string>>();
  private wait = 250;
  private told = false;
  private heard = 0; // when the server last said something

  constructor(
    private path: string,
    private ears: Ears,
  ) {
    this.connect();
    window.addEventListener("online", () => this.connect());
    document.addEventListener("visibilitychange", () => document.hidden || this.connect());
    setInterval(() => this.beat(), BEAT / 4);
  }

  /** Send a command; says under which id it is answered. */
  send(fields: Record<string, string>): string {
    let id = "";
    if (!["show", "again"].includes(fields["type"] ?? "")) {
      id = `${fields["id"] ?? ""}-${crypto.getRandomValues(new Uint32Array(1))[0]}`.slice(0, 40);
      fields = { ...fields, id };
      if (fields["type"] !== "slap") this.unanswered.set(id, fields); // a slap is for this moment or for none
    }
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(fields));
    return id;
  }

  /** A line may be dead and nobody has said so: where nothing is heard, ask, and where nothing comes, call anew. */
  private beat(): void {
    const socket = this.socket;
    if (socket?.readyState !== WebSocket.OPEN) return;
    const silence = Date.now() - this.heard;
    if (silence > 2 * BEAT) {
      this.socket = null;
      socket.close();
      this.connect();
    } else if (silence > BEAT) socket.send('{"type":"beat"}');
  }

  private connect(): void {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    const address = new URL(this.path, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = (this.socket = new WebSocket(address));
    socket.onopen = () => {
      this.heard = Date.now();
      socket.send(JSON.stringify({ type: "hello", seen: this.ears.place() }));
      for (const fields of this.unanswered.values()) socket.send(JSON.stringify(fields));
      this.wait = 250;
      if (this.told) this.ears.found();
      this.told = false;
    };
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data as string);
      // the line is being measured (latency)
      if (message.type === "ping") socket.send(JSON.stringify({ type: "pong", nonce: message.nonce }));
      this.heard = Date.now();
      if (message.id) this.unanswered.delete(message.id);
      this.ears.message(message);
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      setTimeout(() => {
        if (!this.told && this.socket?.readyState !== WebSocket.OPEN && this.wait > 500) {
          this.told = true;
          this.ears.lost();
        }
        this.connect();
      }, this.wait);
      this.wait = Math.min(this.wait * 1.7, 8000);
    };
  }
}
