// A bot as a program: polikarp tournament leduc --seats 2 --bots "greedy,random,exec:node mybot.mjs --bold"
//
// It plays any game by any move, and Leduc poker with a little sense. The protocol is in docs/bot-protocol.md.
import { createInterface } from "node:readline";

const bold = process.argv.includes("--bold");
let view = null;
let moves = [];
let seed = 1;

function any(list) {
  seed = (seed * 48271) % 2147483647;
  return list[seed % list.length];
}

function choose() {
  if (view.game !== "leduc") return any(moves);
  const mine = view.board.hands[view.seat];
  const good = mine === "king" || mine === view.board.open || (bold && mine === "queen");
  if (good && moves.includes("raise")) return "raise";
  return mine === "jack" && moves.includes("fold") ? "fold" : "call";
}

const answers = {
  polikarp: () => null,
  game: (rest) => {
    seed = (JSON.parse(rest).seed % 2147483646) + 1;
    return "ready";
  },
  view: (rest) => {
    view = JSON.parse(rest);
    return null;
  },
  moves: (rest) => {
    moves = rest.split("\t");
    return null;
  },
  go: () => `play ${choose()}`,
  over: () => null,
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const [, word, rest] = /^(\w+)\s?(.*)$/.exec(line);
  const answer = answers[word] ? answers[word](rest) : null;
  if (answer !== null) process.stdout.write(`${answer}\n`);
});
