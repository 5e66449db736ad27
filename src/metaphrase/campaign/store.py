"""The campaign's store: one SQLite file; everything is written as it happens.

Keys are content hashes, so that the same work is found again whatever the order in which it was done: a translation is
(system signature, direction, text), a proposal (method signature, segments), a judged chunk (all signatures, segments).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from metaphrase.core.errors import StoreBusyError, StoreError, StoreVersionError
from metaphrase.core.values import Case, Direction, Finding, Origin, Report, Segment, Translation
from metaphrase.files.cases import case_from_json, case_to_json, dumps, verdict_from_json, verdict_to_json

__all__ = ["MIGRATIONS", "Store"]

# Named, in order; a store knows how many it has had (PRAGMA user_version). Never edit one that was released: add another.
MIGRATIONS: tuple[tuple[str, str], ...] = (
    (
        "first schema",
        """
        CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE translations (
            system TEXT NOT NULL, direction TEXT NOT NULL, text TEXT NOT NULL,
            translation TEXT, failure TEXT, score REAL,
            PRIMARY KEY (system, direction, text)
        ) WITHOUT ROWID;
        CREATE TABLE proposals (key TEXT NOT NULL, ordinal INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (key, ordinal));
        CREATE TABLE proposed (key TEXT PRIMARY KEY);
        CREATE TABLE verdicts (
            chunk TEXT NOT NULL, ordinal INTEGER NOT NULL, system TEXT NOT NULL, method TEXT NOT NULL,
            case_body TEXT NOT NULL, verdict_body TEXT NOT NULL, PRIMARY KEY (chunk, ordinal)
        );
        CREATE TABLE judged (key TEXT PRIMARY KEY);
        CREATE TABLE findings (
            id TEXT NOT NULL, position INTEGER NOT NULL, major INTEGER NOT NULL, rank REAL NOT NULL, reports INTEGER NOT NULL, body TEXT NOT NULL
        );
        """,
    ),
    (
        "parses",
        "CREATE TABLE parses (parser TEXT NOT NULL, text TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (parser, text)) WITHOUT ROWID;",
    ),
)


class Store:
    """Opened by one process at a time for writing; reports read it without a lock."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._lock: int | None = None
        if read_only:
            if not path.is_file():
                raise StoreError(f"{path}: there is no store; 'metaphrase test' writes one")
        else:
            self._acquire()
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._migrate(read_only=read_only)
        except sqlite3.DatabaseError as error:
            self._release()
            raise StoreError(f"{path}: not a store of Metaphrase ({error}); name another file with --store") from None
        except BaseException:
            self._release()
            raise

    def _acquire(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(f"{self.path}.lock", os.O_CREAT | os.O_RDWR)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._release()
            raise StoreBusyError(f"{self.path}: another process works on this store; wait for it, or name another with --store") from None
        except OSError as error:
            self._release()
            raise StoreError(f"{self.path}: cannot open the store: {error.strerror}; name another place with --store") from None

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _migrate(self, *, read_only: bool) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version > len(MIGRATIONS):
            raise StoreVersionError(
                f"{self.path}: written by a newer version of Metaphrase (schema {version}, this one knows {len(MIGRATIONS)}): upgrade"
            )
        if read_only:
            return
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        for number, (_, script) in enumerate(MIGRATIONS[version:], start=version + 1):
            self._db.executescript(f"BEGIN; {script} PRAGMA user_version={number}; COMMIT;")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db
            self._db.execute("COMMIT")
        except sqlite3.OperationalError as error:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise StoreError(
                f"{self.path}: cannot write ({error}); what was stored before is kept: free space and run the same command again"
            ) from None
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise

    def close(self) -> None:
        self._db.close()
        self._release()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # Facts about the last run: options, summary.

    def set_fact(self, name: str, value: Any) -> None:
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value, ensure_ascii=False)))

    def fact(self, name: str) -> Any:
        row = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return json.loads(row[0]) if row else None

    # Translations.

    def translations(self, system: str, direction: Direction, texts: Iterable[str]) -> dict[str, Translation]:
        """What is known, failures included."""
        found = {}
        query = "SELECT translation, failure, score FROM translations WHERE system = ? AND direction = ? AND text = ?"
        for text in texts:
            row = self._db.execute(query, (system, str(direction), text)).fetchone()
            if row:
                found[text] = Translation(*row)
        return found

    def add_translations(self, system: str, direction: Direction, answers: Iterable[tuple[str, Translation]]) -> None:
        rows = [(system, str(direction), text, a.text, a.failure, a.score) for text, a in answers]
        with self._writing() as db:
            db.executemany("INSERT OR REPLACE INTO translations VALUES (?, ?, ?, ?, ?, ?)", rows)

    # Parses: the memory of slow parsers.

    def recall(self, resource: str, texts: Sequence[str]) -> dict[str, str]:
        """What a parser said about texts, as it was remembered."""
        found = {}
        for text in dict.fromkeys(texts):
            row = self._db.execute("SELECT body FROM parses WHERE parser = ? AND text = ?", (resource, text)).fetchone()
            if row:
                found[text] = row[0]
        return found

    def remember(self, resource: str, answers: Mapping[str, str]) -> None:
        with self._writing() as db:
            db.executemany("INSERT OR REPLACE INTO parses VALUES (?, ?, ?)", [(resource, text, body) for text, body in answers.items()])

    # Proposed cases.

    def proposal(self, key: str) -> list[Case] | None:
        if self._db.execute("SELECT 1 FROM proposed WHERE key = ?", (key,)).fetchone() is None:
            return None
        rows = self._db.execute("SELECT body FROM proposals WHERE key = ? ORDER BY ordinal", (key,))
        return [case_from_json(json.loads(body)) for (body,) in rows]

    def add_proposal(self, key: str, cases: Sequence[Case]) -> None:
        with self._writing() as db:
            db.executemany("INSERT INTO proposals VALUES (?, ?, ?)", [(key, i, dumps(case_to_json(c))) for i, c in enumerate(cases)])
            db.execute("INSERT INTO proposed VALUES (?)", (key,))

    # Judged chunks.

    def judged(self, key: str) -> list[Report] | None:
        if self._db.execute("SELECT 1 FROM judged WHERE key = ?", (key,)).fetchone() is None:
            return None
        rows = self._db.execute("SELECT case_body, verdict_body, system, method FROM verdicts WHERE chunk = ? ORDER BY ordinal", (key,))
        return [_report(*row) for row in rows]

    def add_judged(self, key: str, reports: Sequence[Report]) -> None:
        with self._writing() as db:
            db.execute("DELETE FROM verdicts WHERE chunk = ?", (key,))  # judged anew after --refresh
            db.executemany(
                "INSERT INTO verdicts VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (key, i, r.system, r.method, dumps(case_to_json(r.case)), dumps(verdict_to_json(r.verdict)))
                    for i, r in enumerate(reports)
                ],
            )
            db.execute("INSERT OR IGNORE INTO judged VALUES (?)", (key,))

    def reports(self) -> Iterator[Report]:
        """Everything that was ever judged here, whatever the run; the latest verdict on a case comes last."""
        query = "SELECT case_body, verdict_body, system, method FROM verdicts ORDER BY rowid"
        return (_report(*row) for row in self._db.execute(query))

    # Findings of the last run.

    def clear_findings(self) -> None:
        with self._writing() as db:
            db.execute("DELETE FROM findings")

    def add_findings(self, findings: Sequence[Finding], positions: dict[str, int]) -> None:
        rows = [
            (f.id, positions[f.segment.id], int(f.severity == "major"), f.major, len(f.reports), dumps(finding_body(f))) for f in findings
        ]
        with self._writing() as db:
            db.executemany("INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?)", rows)

    def findings(self) -> Iterator[Finding]:
        """Major ones first, surest first, then as they stand in the input."""
        query = "SELECT id, body FROM findings ORDER BY major DESC, rank DESC, reports DESC, position, id"
        for identity, body in self._db.execute(query):
            yield _finding(identity, json.loads(body))


def _report(case: str, verdict: str, system: str, method: str) -> Report:
    return Report(case_from_json(json.loads(case)), verdict_from_json(json.loads(verdict)), system, method)


def finding_body(finding: Finding) -> dict[str, Any]:
    origin = finding.segment.origin
    return {
        "segment": {
            "id": finding.segment.id,
            "text": finding.segment.text,
            "language": finding.segment.language,
            "file": origin.file if origin else None,
            "line": origin.line if origin else None,
        },
        "known": finding.known,
        "reports": [
            {"system": r.system, "method": r.method, "case": case_to_json(r.case), "verdict": verdict_to_json(r.verdict)}
            for r in finding.reports
        ],
        "extra": dict(finding.extra),
    }


def _finding(identity: str, body: dict[str, Any]) -> Finding:
    segment = body["segment"]
    origin = Origin(segment["file"], segment["line"]) if segment["file"] is not None else None
    reports = tuple(Report(case_from_json(r["case"]), verdict_from_json(r["verdict"]), r["system"], r["method"]) for r in body["reports"])
    return Finding(identity, Segment(segment["id"], segment["text"], segment["language"], origin), reports, body["known"], body["extra"])
