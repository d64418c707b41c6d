"""The compiled build: the same Python, through mypyc. Everything else about the package is in pyproject.toml.

POLIKARP_BUILD=pure     plain Python, no compiler needed
POLIKARP_BUILD=compiled the build fails if it can not be compiled
(not set)               compiled where a C compiler is found, else pure, with a notice
POLIKARP_OPT=0          how hard the C compiler tries, from 0 (built soonest) to 3 (runs fastest; so if not set)
POLIKARP_WORKSHOP=DIR   for `scripts/`: everything that is made on the way is kept in this folder, and each file becomes
                        a library of its own. What did not change is not compiled again, and both cores compile; the
                        code is slower by about an eighth, since calls between files are not inlined.
"""

import os
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).parent
COMPILED = [
    "src/polikarp/engine/rng.py",
    "src/polikarp/engine/state.py",
    "src/polikarp/engine/bot.py",
    "src/polikarp/bots/random.py",
    "src/polikarp/bots/search.py",
    "src/polikarp/lab/cheater.py",
    "src/polikarp/lab/rows.py",
    *sorted(
        str(path.relative_to(HERE))
        for room in ("cards", "boards", "rules", "bot", "style", "view")
        for path in HERE.glob(f"src/polikarp/games/*/{room}.py")
    ),
]
# Reading its name and version, as pip does twice for one installation, needs nothing compiled.
BUILDING = {"bdist_wheel", "build", "build_ext", "editable_wheel", "install"}


class build_ext_or_notice(build_ext):  # noqa: N801 (setuptools names its commands so)
    """Builds what can be built; where the compiler fails, says so and leaves the plain Python."""

    def run(self) -> None:
        try:
            super().run()
        except Exception as reason:
            if os.environ.get("POLIKARP_BUILD") == "compiled":
                raise
            print(f"polikarp: it can not be compiled here ({reason}): this is the slower pure build", file=sys.stderr)
            self.extensions = []


def extensions() -> list:
    if os.environ.get("POLIKARP_BUILD") == "pure" or not BUILDING & set(sys.argv):
        return []
    try:
        from mypyc.build import mypycify
    except ImportError:
        if os.environ.get("POLIKARP_BUILD") == "compiled":
            raise
        print("polikarp: mypyc is not here: this is the slower pure build", file=sys.stderr)
        return []
    os.chdir(HERE)
    workshop = os.environ.get("POLIKARP_WORKSHOP")
    made = mypycify(
        [f"--cache-dir={workshop}/types", *COMPILED] if workshop else COMPILED,
        opt_level=os.environ.get("POLIKARP_OPT", "3"),
        debug_level="0",
        separate=workshop is not None,
        target_dir=f"{workshop}/c" if workshop else None,
    )
    for extension in made:  # calls inside the library need no look-up and can be inlined
        extension.extra_compile_args = [
            *extension.extra_compile_args, "-fno-semantic-interposition", "-fvisibility=hidden"
        ]  # fmt: skip
    return made


setup(ext_modules=extensions(), cmdclass={"build_ext": build_ext_or_notice})
