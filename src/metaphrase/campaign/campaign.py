"""A campaign opened: all that a run needs, made from a configuration and closed together."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from metaphrase.campaign.config import Configuration
from metaphrase.campaign.plan import make_plan, make_resources, open_back_system, open_sending, open_systems
from metaphrase.campaign.runner import Runner
from metaphrase.campaign.store import Store
from metaphrase.campaign.translate import Sending
from metaphrase.core.values import Direction, Segment
from metaphrase.files.findings import read_baseline
from metaphrase.resources.profiles import Resources
from metaphrase.systems.base import System

__all__ = ["Campaign", "open_campaign"]


@dataclass(frozen=True, slots=True)
class Campaign:
    """`runner` does the work; the others are what it works with."""

    configuration: Configuration
    systems: tuple[System, ...]
    resources: Resources
    store: Store
    sending: Sending
    runner: Runner
    back: System | None = None


@contextlib.contextmanager
def open_campaign(
    segments: Iterable[Segment],
    direction: Direction,
    configuration: Configuration,
    store_path: Path,
    *,
    systems: tuple[System, ...] | None = None,
    use_cache: bool = True,
    refresh: bool = False,
) -> Iterator[Campaign]:
    """Systems are those that the configuration names, unless they are given; either way they are closed at the end."""
    with contextlib.ExitStack() as stack:
        under_test = open_systems(configuration.systems, configuration) if systems is None else systems
        back = open_back_system(under_test, configuration)
        everyone = under_test if back is None or back in under_test else (*under_test, back)
        for system in everyone:
            stack.callback(system.close)
        resources = stack.enter_context(make_resources(configuration))
        store = stack.enter_context(Store(store_path))
        resources.memory = store
        sending = stack.enter_context(open_sending(everyone, configuration, use_cache=use_cache, refresh=refresh))
        plan = make_plan(segments, direction, under_test, resources, configuration, read_baseline(configuration.baseline), back)
        yield Campaign(configuration, under_test, resources, store, sending, Runner(plan, store, sending), back)
