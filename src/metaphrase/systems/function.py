"""A Python callable as a system: for the API and for test suites."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metaphrase.core.errors import SystemFailedError
from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction, Translation
from metaphrase.systems.base import Limits

__all__ = ["FunctionSystem", "Translate"]

Translate = Callable[[list[str]], Sequence[str]]


class FunctionSystem:
    """`translate` takes a list of texts and returns their translations in order."""

    def __init__(self, translate: Translate, *, name: str = "function", items: int = 50) -> None:
        self.name = name
        self.limits = Limits(items=items, characters=10**9)
        self._translate = translate

    def signature(self) -> Signature:
        return Signature("function", "1", {"name": self.name})

    def translate(self, texts: Sequence[str], direction: Direction) -> list[Translation]:
        answers = list(self._translate(list(texts)))
        if len(answers) != len(texts):
            raise SystemFailedError(f"the function '{self.name}' got {len(texts)} texts and returned {len(answers)}")
        wrong = [type(a).__name__ for a in answers if not isinstance(a, str)]
        if wrong:
            raise SystemFailedError(f"the function '{self.name}' returned {wrong[0]} where a string belongs")
        return [Translation(a) for a in answers]

    def close(self) -> None:
        """Nothing is open."""
