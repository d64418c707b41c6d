"""Which of the two builds this is: the same source, compiled or as it stands."""

from polikarp.engine import state

COMPILED = not str(state.__file__).endswith(".py")
