"""Everything Metaphrase raises on purpose.

    MetaphraseError                 exit code 2 unless said otherwise
    ├── ConfigurationError          a file, section or key of metaphrase.toml, or an option
    ├── InputError                  a file that cannot be read, or a line in it
    ├── UnknownNameError            a method, relation, system, language that is not installed
    ├── MissingResourceError        an extra, a model or a program that is not there
    ├── ResourceFailedError         a parser or another resource that was there died or gives no answer
    ├── StoreError                  the campaign's store
    │   ├── StoreBusyError          another process works on it
    │   └── StoreVersionError       written by a newer version
    ├── BatchFailedError            one call to a system failed; its texts may pass in smaller calls
    └── SystemFailedError           exit code 3: the system under test failed for good
        └── QuotaError              it will not translate any more until somebody pays

Messages name the file, line or key, and end with what to do about it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

__all__ = [
    "BatchFailedError",
    "ConfigurationError",
    "InputError",
    "MetaphraseError",
    "MissingResourceError",
    "QuotaError",
    "ResourceFailedError",
    "StoreBusyError",
    "StoreError",
    "StoreVersionError",
    "SystemFailedError",
    "UnknownNameError",
    "nearest",
]


class MetaphraseError(Exception):
    """Base of all errors that are meant for the user."""

    exit_code = 2


class ConfigurationError(MetaphraseError):
    """A setting is unknown, malformed or contradicts another one."""


class InputError(MetaphraseError):
    """A file, or a line of one, cannot be read as what it should be."""


class MissingResourceError(MetaphraseError):
    """Something that must be installed or downloaded first."""


class ResourceFailedError(MetaphraseError):
    """A resource died, hung or gave an answer that cannot be used."""


class StoreError(MetaphraseError):
    """The campaign's store cannot be used."""


class StoreBusyError(StoreError):
    """Another process works on the same store."""


class StoreVersionError(StoreError):
    """The store was written by a newer version of Metaphrase."""


class BatchFailedError(MetaphraseError):
    """A system could not translate one batch, however often it was asked; others may pass.

    `answers` holds what did come back, by position in the batch; the translate stage splits the rest.
    `outage` says that the system, rather than a text, seems to be at fault.
    """

    exit_code = 3

    def __init__(self, reason: str, *, answers: Mapping[int, Any] | None = None, outage: bool = False) -> None:
        super().__init__(reason)
        self.answers = dict(answers or {})
        self.outage = outage


class SystemFailedError(MetaphraseError):
    """The system under test failed for good; what it had answered is kept.

    `answers` holds what the last call still brought, by position in its batch.
    """

    exit_code = 3
    answers: Mapping[int, Any] = MappingProxyType({})


class QuotaError(SystemFailedError):
    """The provider refuses further work (quota, budget); asking again does not help."""


class UnknownNameError(MetaphraseError):
    """A public id that nothing answers to."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(sorted(known))
        close = nearest(name, self.known)
        remedy = f"did you mean '{close}'?" if close else f"known: {', '.join(self.known) or 'none'}"
        super().__init__(f"unknown {kind} '{name}': {remedy}" + (f" {hint}" if hint else ""))


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, if any is like it at all."""
    matches = difflib.get_close_matches(name.casefold(), [k.casefold() for k in known], n=1, cutoff=0.6)
    if not matches:
        return None
    return next(k for k in known if k.casefold() == matches[0])
