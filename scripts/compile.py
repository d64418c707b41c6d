"""The compiled build beside the sources: `.build/compiled` is a copy of `src` in which everything is a link to the
checkout, and the compiled modules lie beside the files they are made from. With it first on the path Python takes
those; everything else, such as words, pages and the server, is read from the checkout as it stands.

Only what changed is compiled. Run by the scripts, with the Python of `.venv`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORKSHOP = ROOT / ".build"
TREE = WORKSHOP / "compiled"
KINDS = ("engine", "games", "bots", "lab")  # where compiled files are, and all that they import


def made_from() -> str:
    """What the compiled files are made from."""
    digest = hashlib.sha256()
    for kind in KINDS:
        for path in sorted((ROOT / "src" / "polikarp" / kind).rglob("*.py")):
            digest.update(str(path).encode() + path.read_bytes())
    return digest.hexdigest()


def made_with() -> str:
    """If this changes, all of them are made anew."""
    chosen = [os.environ.get(name) for name in ("CC", "CFLAGS", "POLIKARP_OPT")]
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]
    known = repr((sys.version, str(ROOT), chosen, tools)).encode()
    return hashlib.sha256(known + (ROOT / "setup.py").read_bytes()).hexdigest()


def compile_changed() -> None:
    sources, tools = WORKSHOP / "sources", WORKSHOP / "tools"
    if not tools.exists() or tools.read_text() != made_with():
        shutil.rmtree(WORKSHOP, ignore_errors=True)
        WORKSHOP.mkdir()
        tools.write_text(made_with())
    now = made_from()
    if sources.exists() and sources.read_text() == now:
        return
    print("compiling …", file=sys.stderr)
    shutil.rmtree(WORKSHOP / "types", ignore_errors=True)  # mypyc 2.4.1 stumbles over some of what it keeps there
    command = [sys.executable, "setup.py", "-q", "build_ext", f"-j{os.cpu_count()}"]
    folders = [f"--build-lib={TREE}", f"--build-temp={WORKSHOP / 'objects'}"]
    environment = {**os.environ, "POLIKARP_BUILD": "compiled", "POLIKARP_WORKSHOP": ".build"}
    subprocess.run([*command, *folders], cwd=ROOT, env=environment, check=True)
    sources.write_text(now)


def mirror(source: Path, folder: Path) -> None:
    """Make a package of links to all that is in another; packages inside it are mirrored too. What is there no longer
    goes, and what was compiled from it."""
    if folder.is_symlink():
        folder.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    there = {path.name: path for path in source.iterdir() if path.name != "__pycache__"}
    packages = {name for name, path in there.items() if (path / "__init__.py").exists()}
    for path in folder.iterdir():
        module, is_compiled, _ = path.name.partition(EXTENSION_SUFFIXES[0])
        name = f"{module.removesuffix('__mypyc')}.py" if is_compiled else path.name
        if name in there or name == "__pycache__":
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    for name, path in there.items():
        link = folder / name
        if name in packages:
            mirror(path, link)
        elif not link.is_symlink():
            link.symlink_to(path)


if __name__ == "__main__":
    try:
        compile_changed()
    except subprocess.CalledProcessError:
        sys.exit("polikarp: the sources could not be compiled")
    mirror(ROOT / "src" / "polikarp", TREE / "polikarp")
