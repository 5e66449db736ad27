"""From names and a configuration to a plan: opens systems, makes methods and relations ready."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from metaphrase.campaign.cache import Cache
from metaphrase.campaign.config import Configuration
from metaphrase.campaign.runner import Plan, PlannedMethod
from metaphrase.campaign.spending import Ledger
from metaphrase.campaign.translate import Sending
from metaphrase.core import registry
from metaphrase.core.errors import ConfigurationError
from metaphrase.core.values import Case, Direction, MetamorphicCase, Segment
from metaphrase.methods.base import Method
from metaphrase.relations.base import Relation
from metaphrase.resources.profiles import Resources
from metaphrase.systems import System, open_system
from metaphrase.systems.base import Metered
from metaphrase.transforms.base import Transformation

__all__ = [
    "expected",
    "load_method",
    "make_plan",
    "make_relation",
    "make_resources",
    "make_transformation",
    "method_names",
    "open_back_system",
    "open_sending",
    "open_systems",
    "plan_method",
    "relation_for",
    "why_not",
]


def make_resources(configuration: Configuration) -> Resources:
    profile = configuration.profile
    return Resources(profile, choices=configuration.profile_options.get(profile, {}), options=configuration.resource)


def load_method(name: str) -> Method:
    method: Method = registry.methods.load(name)
    return method


def make_relation(name: str, resources: Resources, configuration: Configuration, *, transformation: str = "") -> Relation:
    """A relation with the defaults of the method that makes such cases, under the configuration's options."""
    name = name.casefold()
    method = load_method(transformation) if transformation in registry.methods else None
    options = {**(method.relation_options.get(name, {}) if method else {}), **configuration.relation_options.get(name, {})}
    relation: Relation = registry.relations.load(name)(resources, options)
    return relation


def make_transformation(method: Method, resources: Resources, configuration: Configuration, direction: Direction) -> Transformation:
    """A method's way to make cases, with its defaults under the configuration's options."""
    problem = why_not(method, resources, direction)
    if problem is not None:
        raise ConfigurationError(problem)
    seed = {"seed": configuration.seed} if method.seeded else {}
    options = {**method.options, **seed, **configuration.method.get(method.name, {})}
    return method.transformation(resources, options)


def plan_method(name: str, resources: Resources, configuration: Configuration, direction: Direction) -> PlannedMethod:
    method = load_method(name)
    transformation = make_transformation(method, resources, configuration, direction)
    relation = make_relation(
        configuration.relation or method.default_relation(str(direction), resources.profile),
        resources,
        configuration,
        transformation=method.name,
    )
    return PlannedMethod(method, transformation, relation)


def expected(case: Case) -> Case:
    """A case read from a file, with the expectation of the method that made it."""
    if isinstance(case, MetamorphicCase) and case.transformation in registry.methods:
        return replace(case, expectation=load_method(case.transformation).expectation)
    return case


def relation_for(case: Case, profile: str) -> str:
    """The default relation for a case read from a file."""
    if case.transformation in registry.methods:
        return load_method(case.transformation).default_relation(str(case.direction), profile)
    for name in registry.methods.names():
        if load_method(name).kind == case.kind:
            return load_method(name).default_relation(str(case.direction), profile)
    raise ConfigurationError(f"case '{case.id}': no installed method makes {case.kind} cases; name a relation with --relation")


def open_systems(names: Sequence[str], configuration: Configuration) -> tuple[System, ...]:
    if len({n.casefold() for n in names}) < len(names):
        raise ConfigurationError(f"a system is named twice: {', '.join(names)}")
    return tuple(open_system(name, configuration.system) for name in names)


@contextlib.contextmanager
def open_sending(
    systems: Sequence[System], configuration: Configuration, *, use_cache: bool = True, refresh: bool = False
) -> Iterator[Sending]:
    """How the systems are asked; the shared cache is opened only if one of them is paid for."""
    ledger = Ledger(systems, budget=configuration.budget, max_characters=configuration.max_characters)
    paid = any(isinstance(system, Metered) for system in systems)
    with Cache(configuration.cache) if paid and use_cache else contextlib.nullcontext() as cache:
        yield Sending(configuration.jobs, cache, refresh, ledger)


def method_names(configuration: Configuration, resources: Resources, direction: Direction, systems: int) -> list[str]:
    """The methods asked for; "all" is every installed one that this profile, language and number of systems allow."""
    asked = list(dict.fromkeys(name.casefold() for name in configuration.methods))
    if "all" not in asked:
        return asked
    if len(asked) > 1:
        raise ConfigurationError("--method all already stands for every method: name either all or single ones")
    methods = [load_method(name) for name in registry.methods.names()]
    return [m.name for m in methods if why_not(m, resources, direction) is None and m.systems <= systems]


def why_not(method: Method, resources: Resources, direction: Direction) -> str | None:
    """Why a method cannot run here, with the remedy; None if it can."""
    missing = [role for role in method.needs if not resources.has(role)]
    if missing:
        return f"method '{method.name}' needs a {' and a '.join(missing)}, which the profile '{resources.profile}' has not: use --profile neural"
    if method.source_languages and direction.source.split("-")[0] not in method.source_languages:
        return f"method '{method.name}' makes cases from {', '.join(method.source_languages)} sources, not from '{direction.source}'"
    return None


def open_back_system(systems: Sequence[System], configuration: Configuration) -> System | None:
    """The system for the way back of round trips, one of those given or another; None: the system under test."""
    name = configuration.back_system
    if name is None:
        return None
    return next((system for system in systems if system.name.casefold() == name.casefold()), None) or open_system(
        name, configuration.system
    )


def make_plan(
    segments: Iterable[Segment],
    direction: Direction,
    systems: tuple[System, ...],
    resources: Resources,
    configuration: Configuration,
    baseline: frozenset[str] = frozenset(),
    back: System | None = None,
) -> Plan:
    names = method_names(configuration, resources, direction, len(systems))
    methods = tuple(plan_method(name, resources, configuration, direction) for name in names)
    for planned in methods:
        if len(systems) < planned.method.systems:
            raise ConfigurationError(f"method '{planned.method.name}' compares at least {planned.method.systems} systems: repeat --system")
    return Plan(segments, direction, methods, systems, baseline, resources.fingerprint(), back)
