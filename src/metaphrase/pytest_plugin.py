"""For test suites of MT teams: the fixture `check_translations`. Installed with the package; imports nothing heavy until it is used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from metaphrase.api import Findings
    from metaphrase.systems.function import Translate

__all__ = ["CheckTranslations", "check_translations"]


class CheckTranslations(Protocol):
    """What the fixture gives; see `metaphrase.check` for the first arguments."""

    def __call__(
        self,
        translate: Translate | str,
        sentences: Iterable[str],
        *,
        target: str,
        source: str = "en",
        methods: Sequence[str] = ("purity",),
        fail_on: str = "major",
        baseline: Path | None = None,
        **settings: Any,
    ) -> Findings: ...


@pytest.fixture
def check_translations() -> CheckTranslations:
    """Call it with a translation function and sentences: the test fails with a readable report if there are new findings.

    `fail_on` is "major", "minor" or "never"; `baseline` a JSON Lines file of known findings, as `metaphrase test -o` writes it.
    """

    def run(
        translate: Translate | str,
        sentences: Iterable[str],
        *,
        target: str,
        source: str = "en",
        methods: Sequence[str] = ("purity",),
        fail_on: str = "major",
        baseline: Path | None = None,
        **settings: Any,
    ) -> Findings:
        from metaphrase.api import Findings, check
        from metaphrase.files.findings import read_baseline

        known = read_baseline(baseline)
        found = check(translate, sentences, source=source, target=target, methods=methods, **settings)
        new = Findings(f for f in found if f.id not in known)
        failing = {"major": new.major, "minor": new, "never": []}
        if fail_on not in failing:
            raise ValueError(f"fail_on={fail_on!r}: use 'major', 'minor' or 'never'")
        if failing[fail_on]:
            pytest.fail(str(failing[fail_on]), pytrace=False)
        return new

    return run
