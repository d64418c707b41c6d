"""boardgame.io's server beside ours: its tutorial's tic-tac-toe, in memory, four clients a match, one move a second.

It is installed from npm into a temporary folder for this one run, and is no part of the project: where that fails, the
row says so. A match has two players and two who look on, and begins anew when the board is full.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.load import busy

VERSION = "0.50.2"
PORT = 18767

GAME = """
const TicTacToe = {
  name: "tic-tac-toe",
  setup: () => ({ cells: Array(9).fill(null) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    clickCell: ({ G, playerID }, id) => {
      if (G.cells.every((cell) => cell !== null)) G.cells = Array(9).fill(null);
      G.cells[id] = playerID;
    },
  },
};
"""

SERVER = f"""
const {{ Server, Origins }} = require("boardgame.io/server");
{GAME}
Server({{ games: [TicTacToe], origins: [Origins.LOCALHOST] }}).run({PORT}, () => console.log("runs"));
"""

CLIENTS = f"""
const {{ Client }} = require("boardgame.io/client");
const {{ SocketIO }} = require("boardgame.io/multiplayer");
{GAME}
const [matches, seconds] = process.argv.slice(2).map(Number);
const later = (time) => new Promise((done) => setTimeout(done, time));
let moves = 0;
async function match(number) {{
  const clients = [0, 1, null, null].map((seat) => {{
    const multiplayer = SocketIO({{ server: "http://localhost:{PORT}" }});
    const playerID = seat === null ? null : String(seat);
    const client = Client({{ game: TicTacToe, multiplayer, matchID: `match ${{number}}`, playerID, debug: false }});
    client.start();
    return client;
  }});
  while (!clients.every((client) => client.getState())) await later(50);
  return clients;
}}
async function play(clients, until) {{
  await later(Math.random() * 1000);
  while (Date.now() < until) {{
    const {{ G, ctx }} = clients[2].getState();
    const free = G.cells.findIndex((cell) => cell === null);
    clients[Number(ctx.currentPlayer)].moves.clickCell(Math.max(0, free));
    moves += 1;
    await later(1000);
  }}
}}
(async () => {{
  const all = await Promise.all([...Array(matches).keys()].map(match));
  console.log("begins");
  const until = Date.now() + seconds * 1000;
  await Promise.all(all.map((clients) => play(clients, until)));
  console.log(moves, all[0][3].getState()._stateID);
  process.stdin.once("data", () => process.exit(0));
}})();
"""


def boardgame_rows(matches: int, seconds: float) -> list[str]:
    """What a move costs there, or why nobody knows."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        return ["  boardgame.io: not measured, npm and node are missing"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wanted = [npm, "install", "--silent", "--no-audit", "--no-fund", f"boardgame.io@{VERSION}"]
        if subprocess.run(wanted, cwd=folder, capture_output=True).returncode:
            return [f"  boardgame.io {VERSION}: not measured, npm could not install it"]
        (folder / "server.js").write_text(SERVER)
        (folder / "clients.js").write_text(CLIENTS)
        return [measured(node, folder, matches, seconds)]


def measured(node: str, folder: Path, matches: int, seconds: float) -> str:
    server = subprocess.Popen([node, "server.js"], cwd=folder, stdout=subprocess.PIPE)
    assert server.stdout is not None
    clients = None
    try:
        while b"runs" not in (line := server.stdout.readline()):
            if not line:
                return f"  boardgame.io {VERSION}: not measured, its server did not start"
        command = [node, "clients.js", str(matches), str(seconds)]
        clients = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert clients.stdout is not None
        clients.stdout.readline()
        used = busy(server)
        moves, seen = (int(number) for number in clients.stdout.readline().split())
        took = (busy(server) - used) / moves * 1000
        return (
            f"  boardgame.io {VERSION}, {matches} matches of four clients: {took:.2f} ms of processor a move"
            f" ({moves} moves; who looks on at the first match saw {seen})"
        )
    finally:
        for process in (clients, server):
            if process is not None:
                process.terminate()
                process.wait(20)
                assert process.stdout is not None
                process.stdout.close()
