"""Several methods in one run: --method all, and pairs that more than one method makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from metaphrase.campaign.config import Configuration
from metaphrase.campaign.plan import method_names, plan_method, why_not
from metaphrase.campaign.runner import Plan, Runner
from metaphrase.campaign.store import Store
from metaphrase.core.errors import ConfigurationError
from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, Direction, Segment, Translation, Verdict
from metaphrase.methods.base import Method
from metaphrase.methods.sit import SIT
from metaphrase.relations.variants import lcs_relation
from metaphrase.resources.profiles import Resources
from metaphrase.systems.base import Limits

EN_ES = Direction("en", "es")


class Shouting:
    """A system that a test can predict: upper case."""

    name = "shouting"
    limits = Limits()

    def __init__(self) -> None:
        self.asked: list[str] = []

    def translate(self, texts: Sequence[str], direction: Direction) -> list[Translation]:
        self.asked.extend(texts)
        return [Translation(text.upper()) for text in texts]

    def signature(self) -> Signature:
        return Signature(self.name)

    def close(self) -> None:
        pass


class Counting:
    """LCS that remembers what it was shown."""

    name = "lcs"

    def __init__(self) -> None:
        self._inner = lcs_relation(Resources("lite"), {})
        self.seen: list[Case] = []

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        self.seen.extend(cases)
        return self._inner.judge(cases)

    def signature(self) -> Signature:
        return self._inner.signature()


def names(**given: object) -> list[str]:
    configuration = Configuration.model_validate(given)
    return method_names(configuration, Resources("lite"), EN_ES, 1)


def test_all_stands_for_every_method_that_can_run_here() -> None:
    found = names(methods=["all"])
    assert set(found) >= {"cat", "cit", "patinv", "purity", "sit", "transrepair"}
    assert "dcs" not in found  # it compares two systems


def test_all_and_a_name_contradict_each_other() -> None:
    with pytest.raises(ConfigurationError, match="all already stands for every method"):
        names(methods=["all", "cat"])


def test_a_method_that_cannot_run_says_why_and_what_to_do() -> None:
    assert "use --profile neural" in str(why_not(_needing("masked-lm"), Resources("lite"), EN_ES))
    assert "not from 'fr'" in str(why_not(SIT, Resources("lite"), Direction("fr", "en")))


def _needing(role: str) -> Method:
    return Method("needy", "t", "c", "metamorphic", SIT.transformation, "lcs", needs=(role,))


def _events(runner: Runner) -> Iterator[object]:
    yield from runner.run()


def test_a_pair_of_two_methods_is_translated_and_judged_once(tmp_path: Path) -> None:
    resources, configuration = Resources("lite"), Configuration(methods=["cat", "transrepair"])
    planned = [plan_method(name, resources, configuration, EN_ES) for name in ("cat", "transrepair")]
    counting, system = Counting(), Shouting()
    methods = tuple(type(p)(p.method, p.transformation, counting) for p in planned)
    segment = Segment("1", "My sister bought a car from a dealer.", "en")
    pairs = [[(c.source, getattr(c, "followup", "")) for c in p.transformation.propose([segment], EN_ES)] for p in planned]
    assert set(pairs[0]) & set(pairs[1])
    with Store(tmp_path / "store.db") as store:
        runner = Runner(Plan([segment], EN_ES, methods, (system,)), store)
        list(_events(runner))
    assert len(counting.seen) == len({*pairs[0], *pairs[1]}) < len(pairs[0]) + len(pairs[1])
    assert len(system.asked) == len(set(system.asked))
    assert runner.summary.verdicts == len(pairs[0]) + len(pairs[1])
