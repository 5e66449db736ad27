"""Paid translations that campaigns share: one SQLite file in the user's cache folder.

An entry's key is the hash of the system's signature, the direction and the text, so that a changed engine version, prompt
or option asks anew. The texts themselves are not kept, only their translations. Failures are not kept either.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import platformdirs
from pydantic import Field

from metaphrase.core.errors import StoreError, StoreVersionError
from metaphrase.core.options import Options
from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction, Translation

__all__ = ["Cache", "CacheOptions", "CacheReport", "cache_path"]

VERSION = 1
SCHEMA = """
CREATE TABLE systems (id INTEGER PRIMARY KEY, signature TEXT NOT NULL UNIQUE);
CREATE TABLE entries (
    key BLOB PRIMARY KEY, system INTEGER NOT NULL, translation TEXT NOT NULL, score REAL,
    characters INTEGER NOT NULL, made REAL NOT NULL, used REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX entries_used ON entries (used);
CREATE INDEX entries_made ON entries (made);
"""
DAY = 86_400.0
# What an entry takes beside its translation: key, numbers and their places in the indexes.
OVERHEAD = 150
# SQLite takes a limited number of parameters in one statement.
AT_ONCE = 500


class CacheOptions(Options):
    """The table `[cache]`."""

    path: str | None = Field(None, description="file of the cache; default: translations.db in the user's cache folder")
    max_megabytes: float = Field(1024.0, gt=0, description="entries that were not used for the longest time make room")
    max_days: float = Field(180.0, gt=0, description="older entries are asked for again, because engines change")


@dataclass(frozen=True, slots=True)
class CacheReport:
    """What is in the cache, by system."""

    path: Path
    entries: int
    bytes: int
    oldest: float | None
    systems: Mapping[str, tuple[int, int]]


def cache_path(options: CacheOptions) -> Path:
    if options.path:
        return Path(options.path).expanduser()
    root = os.environ.get("METAPHRASE_CACHE") or platformdirs.user_cache_dir("metaphrase")
    return Path(root) / "translations.db"


class Cache:
    """May be used by several processes and threads at once."""

    def __init__(self, options: CacheOptions | None = None, *, now: Callable[[], float] = time.time) -> None:
        self._options = options or CacheOptions()
        self.path = cache_path(self._options)
        self._now = now
        self._lock = threading.Lock()
        self._ids: dict[str, int] = {}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch(mode=0o600)  # translations may be confidential; SQLite's side files follow this one
            self._db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=30.0)
            self._prepare()
        except (sqlite3.DatabaseError, OSError) as error:
            raise StoreError(f"{self.path}: cannot use the cache ({error}): use --no-cache, or set path in [cache]") from None

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        with self._writing() as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version == 0:
                for statement in filter(str.strip, SCHEMA.split(";")):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version={VERSION}")
        if version > VERSION:
            raise StoreVersionError(f"{self.path}: written by a newer version of Metaphrase: upgrade, or set another path in [cache]")

    def get(self, system: Signature, direction: Direction, texts: Sequence[str]) -> dict[str, Translation]:
        """What is known of the texts and not too old."""
        now = self._now()
        keys = {_key(system, direction, text): text for text in texts}
        found: dict[str, Translation] = {}
        stale_mark: list[tuple[float, bytes]] = []
        names = list(keys)
        with self._lock:
            for start in range(0, len(names), AT_ONCE):
                part = names[start : start + AT_ONCE]
                query = f"SELECT key, translation, score, used FROM entries WHERE made >= ? AND key IN ({','.join('?' * len(part))})"
                for key, translation, score, used in self._db.execute(query, (now - self._options.max_days * DAY, *part)):
                    found[keys[key]] = Translation(translation, score=score)
                    if used < now - DAY:
                        stale_mark.append((now, key))
        if stale_mark:  # to the day is exact enough for "not used for the longest time", and saves writing on every hit
            with self._writing() as db:
                db.executemany("UPDATE entries SET used = ? WHERE key = ?", stale_mark)
        return found

    def put(self, system: Signature, direction: Direction, answers: Iterable[tuple[str, Translation]]) -> None:
        """On disk when this returns."""
        now = self._now()
        with self._writing() as db:
            number = self._system(db, system)
            db.executemany(
                "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (_key(system, direction, text), number, a.text, a.score, len(text), now, now)
                    for text, a in answers
                    if a.text is not None
                ],
            )

    def clear(self, *, system: str | None = None, older_than_days: float | None = None) -> int:
        """Forget everything, or what a system (a word of its signature) or an age says; how many entries went."""
        conditions, values = ["1"], []
        if system is not None:
            conditions.append("system IN (SELECT id FROM systems WHERE signature = ? OR signature LIKE ? || '|%')")
            values += [system, system]
        if older_than_days is not None:
            conditions.append("made < ?")
            values.append(str(self._now() - older_than_days * DAY))
        with self._writing() as db:
            gone = db.execute(f"DELETE FROM entries WHERE {' AND '.join(conditions)}", values).rowcount
        self._shrink()
        return gone

    def trim(self) -> int:
        """Keep the limits of age and size; how many entries went."""
        with self._writing() as db:
            gone = db.execute("DELETE FROM entries WHERE made < ?", (self._now() - self._options.max_days * DAY,)).rowcount
            excess = _size(db) - self._options.max_megabytes * 1_000_000
            while excess > 0:
                rows = db.execute("SELECT key, length(CAST(translation AS BLOB)) FROM entries ORDER BY used, key LIMIT 1000").fetchall()
                if not rows:
                    break
                for key, size in rows:
                    if excess <= 0:
                        break
                    db.execute("DELETE FROM entries WHERE key = ?", (key,))
                    excess -= size + OVERHEAD
                    gone += 1
        if gone:
            self._shrink()
        return gone

    def report(self) -> CacheReport:
        with self._lock:
            entries, oldest = self._db.execute("SELECT count(*), min(made) FROM entries").fetchone()
            rows = self._db.execute(
                "SELECT signature, count(*), sum(characters) FROM entries JOIN systems ON id = system GROUP BY id ORDER BY 2 DESC, 1"
            )
            systems = {signature: (count, characters) for signature, count, characters in rows}
            return CacheReport(self.path, entries, _size(self._db), oldest, systems)

    def close(self) -> None:
        with contextlib.suppress(sqlite3.Error, StoreError):
            self.trim()
        self._db.close()

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _system(self, db: sqlite3.Connection, system: Signature) -> int:
        name = str(system)
        if name not in self._ids:
            db.execute("INSERT OR IGNORE INTO systems (signature) VALUES (?)", (name,))
            (self._ids[name],) = db.execute("SELECT id FROM systems WHERE signature = ?", (name,)).fetchone()
        return self._ids[name]

    def _shrink(self) -> None:
        with self._lock, contextlib.suppress(sqlite3.OperationalError):  # another process reads: next time
            self._db.execute("VACUUM")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except sqlite3.OperationalError as error:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise StoreError(f"{self.path}: cannot write the cache ({error}): free space, or use --no-cache") from None
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise


def _key(system: Signature, direction: Direction, text: str) -> bytes:
    parts = (str(system), str(direction), text)
    return hashlib.sha256("\0".join(f"{len(part)}:{part}" for part in parts).encode("utf-8", "surrogatepass")).digest()


def _size(db: sqlite3.Connection) -> int:
    count, translations = db.execute("SELECT count(*), coalesce(sum(length(CAST(translation AS BLOB))), 0) FROM entries").fetchone()
    return int(translations + count * OVERHEAD)
