"""The lines between server and players: what round trips say, who vouches for them, and which answers count."""

from __future__ import annotations

from polikarp.server.race.latency import Latency, Packets, Pings, bounds, packets_told


def test_the_kernel_vouches_for_a_line() -> None:
    """hunters.30: pongs that are later than the packets are not believed; a line without packets is, within bounds."""
    late = tuple(160.0 + 10.0 * (number % 2) for number in range(20))
    vouched = bounds(Latency(late, (Packets(10.0, 2.0, 8.0),) * 20))
    assert (vouched.usual, vouched.least, vouched.vouched) == (10.0, 8.0, True)
    held_back = bounds(Latency(late, (Packets(50.0, 1.0, 8.0),) * 20))  # an acknowledgement waits for its program
    assert held_back.usual == 13.0
    uneven = bounds(Latency((160.0, 240.0) * 10, (Packets(200.0, 35.0, 90.0),) * 20))
    assert uneven.usual == 200.0, "an honest line may be as uneven as it is"
    near, far, uneven = bounds(Latency((30.0, 40.0))), bounds(Latency(late)), bounds(Latency((10.0, 170.0)))
    assert (near.usual, near.least, near.vouched) == (35.0, 30.0, False)
    assert (far.usual, far.least, far.credit) == (100.0, 100.0, 10.0), "as far as credit goes"
    assert (uneven.usual, uneven.credit) == (90.0, 10.0)
    assert bounds(Latency()).usual == 0.0


def test_a_proxy_may_vouch_for_a_line() -> None:
    """hunters.30: by what its kernel knows, in microseconds; what can not be read is as good as nothing."""
    told = packets_told("20250 1500")
    assert told == Packets(20.25, 1.5, 20.25)
    assert told.and_then(Packets(5.0, 1.0, 4.0)) == Packets(25.25, 2.5, 24.25), "and from the proxy to the server"
    assert told.and_then(None) == told
    for text in ("", "20250", "20250 ", " 1500", "-1 5", "1 2 3", "²0 1", "1.5 2", "9999999999 1"):
        assert packets_told(text) is None, text


def test_round_trips_are_answers_to_what_was_asked() -> None:
    """hunters.30: what is made up is not, and only the last trips count."""
    pings = Pings()
    pings.ask("a", 1000.0)
    pings.ask("b", 1001.0)
    assert pings.answer("b", 1021.0) == 20.0
    assert pings.answer("b", 1031.0) is None
    assert pings.answer("guess", 1031.0) is None
    for number in range(100):
        pings.ask(str(number), 2000.0)
    assert pings.answer("a", 3000.0) is None
    assert len(pings.asked) <= 40
    line = Latency()
    for number in range(100):
        line = line.with_trip(float(number), Packets(1.0, 1.0, 1.0))
    assert line.trips == tuple(float(number) for number in range(60, 100))
    assert len(line.packets) == 40
