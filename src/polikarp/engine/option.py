"""The options of a game: typed, with a default and bounds, so that a wrong value gets a clear sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

OptionValue = str | bool | int | float


class UsageError(Exception):
    """Something was asked for that does not exist or is out of bounds. The text says what would be right."""


class Option(msgspec.Struct, frozen=True):
    """One option. Give `choices`, `pattern` (with an example), or `low` and `high`; a plain flag needs none.

    `timing`: only whoever keeps the time asks for it, the rules do not.
    """

    name: str
    default: OptionValue
    choices: tuple[OptionValue, ...] = ()
    pattern: str = ""
    example: str = ""
    low: float = 0
    high: float = 0
    timing: bool = False

    def allowed(self) -> str:
        """The values that are right, in words."""
        if isinstance(self.default, bool):
            return "on or off"
        if self.low < self.high:
            return f"{self.low:g} to {self.high:g}"
        listed = ", ".join(str(choice) for choice in self.choices)
        return f"{listed}, or a value such as {self.example}" if self.pattern else listed

    def samples(self) -> list[OptionValue]:
        """Values that between them show everything the option can do in the rules."""
        if self.timing:
            return [self.default]
        if isinstance(self.default, bool):
            return [False, True]
        if self.low < self.high:
            bounds = (type(self.default)(self.low), type(self.default)(self.high))
            return list(dict.fromkeys((self.default, *bounds)))
        return [*self.choices, *([self.example] if self.pattern else [])]

    def read(self, value: OptionValue) -> OptionValue:
        """The value in the option's own type, whether it came as text or not."""
        text = str(value).strip()
        if isinstance(self.default, bool):
            switch = {"on": True, "true": True, "off": False, "false": False}.get(text.lower())
            if switch is not None:
                return switch
        elif self.low < self.high:
            try:
                number = type(self.default)(text)
            except ValueError:
                number = None
            if isinstance(number, int | float) and self.low <= number <= self.high:
                return number
        else:
            for choice in self.choices:
                if text == str(choice):
                    return choice
            if self.pattern and re.fullmatch(self.pattern, text):
                return text
        raise UsageError(f"option {self.name} can not be {text[:40]!r}; right is: {self.allowed()}")


def read_options(options: tuple[Option, ...], given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """All options of a game with their values: those given, and the defaults of the rest."""
    names = [option.name for option in options]
    for name in given:
        if name not in names:
            known = ", ".join(names) if names else "none"
            raise UsageError(f"there is no option {name[:40]!r}; the options are: {known}")
    return {option.name: option.read(given.get(option.name, option.default)) for option in options}
