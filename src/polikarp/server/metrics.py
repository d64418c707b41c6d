"""Figures for Prometheus: how much goes on here and how quickly, and nothing about whom or what."""

from __future__ import annotations

BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


class Histogram:
    """How long things took."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        at = next((number for number, bound in enumerate(BOUNDS) if seconds <= bound), len(BOUNDS))
        self.counts[at] += 1
        self.total += seconds


class Counted:
    """What has happened since the start of this process."""

    def __init__(self) -> None:
        self.moves = 0
        self.tables = 0
        self.refused = 0
        self.dropped = 0  # clients that were disconnected
        self.commands = Histogram()


def metrics_text(counted: Counted, tables: int, sockets: int, servers: int, bots: dict[str, int]) -> str:
    """The figures in Prometheus' text format: what was counted, and how many there are now."""
    figures = [
        ("polikarp_moves_total", "counter", "Moves played by people and bots", counted.moves),
        ("polikarp_tables_total", "counter", "Tables opened", counted.tables),
        ("polikarp_refused_total", "counter", "Commands refused", counted.refused),
        ("polikarp_dropped_total", "counter", "Clients disconnected by the server", counted.dropped),
        ("polikarp_tables_open", "gauge", "Tables in the memory of this process", tables),
        ("polikarp_connections", "gauge", "Sockets", sockets),
        ("polikarp_servers_alive", "gauge", "Servers on this store", servers),
        *(
            (f"polikarp_bots_{name}", "counter" if name == "replaced" else "gauge", f"Bot workers: {name}", value)
            for name, value in bots.items()
        ),
    ]
    lines = []
    for name, kind, words, value in figures:
        lines += [f"# HELP {name} {words}", f"# TYPE {name} {kind}", f"{name} {value}"]
    lines += [
        "# HELP polikarp_command_seconds From receiving a command to its being stored",
        "# TYPE polikarp_command_seconds histogram",
    ]
    below = 0
    for bound, count in zip(BOUNDS, counted.commands.counts, strict=False):
        below += count
        lines.append(f'polikarp_command_seconds_bucket{{le="{bound}"}} {below}')
    below += counted.commands.counts[-1]
    lines.append(f'polikarp_command_seconds_bucket{{le="+Inf"}} {below}')
    lines.append(f"polikarp_command_seconds_sum {counted.commands.total:.6f}")
    lines.append(f"polikarp_command_seconds_count {below}")
    return "\n".join(lines) + "\n"
