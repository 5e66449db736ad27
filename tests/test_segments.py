"""Segments in: formats, encodings, and what is left out and counted."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaphrase.core.errors import InputError
from metaphrase.files.lines import open_output, read_lines
from metaphrase.files.segments import SegmentFormat, SegmentReader


def _read(path: Path, form: SegmentFormat | None = None) -> list[str]:
    return [segment.text for segment in SegmentReader([path], "en", form)]


def test_plain_text_is_one_sentence_a_line_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_bytes(b"\xef\xbb\xbfA cat sleeps.\r\n\n  \nA cat sleeps.\n" + b"word " * 30 + b"\nA dog barks.")
    reader = SegmentReader([path], "en", SegmentFormat(max_tokens=20))
    assert [s.text for s in reader] == ["A cat sleeps.", "A dog barks."]
    assert reader.tally.as_json() == {"read": 2, "empty": 2, "duplicate": 1, "too_long": 1, "unreadable": 0}
    assert [s.id for s in reader] == ["in.txt:1", "in.txt:6"]


@pytest.mark.parametrize(("suffix", "mark"), [(".csv", ","), (".tsv", "\t")])
def test_tables_are_read_by_the_name_of_the_column(tmp_path: Path, suffix: str, mark: str) -> None:
    path = tmp_path / f"table{suffix}"
    path.write_text(f'id{mark}english\nfirst{mark}Hello there\nsecond{mark}"Two\nlines"\n', encoding="utf-8")
    segments = list(SegmentReader([path], "en", SegmentFormat(column="english")))
    assert [(s.id, s.text) for s in segments] == [("first", "Hello there"), ("second", "Two\nlines")]
    with pytest.raises(InputError, match="no column 'englisch', did you mean 'english'"):
        _read(path, SegmentFormat(column="englisch"))
    with pytest.raises(InputError, match="which column holds the sentences"):
        _read(path)


def test_json_lines_keep_the_other_fields(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": 7, "text": "Hello", "domain": "mail"}\n\n{"text": "Bye"}\n', encoding="utf-8")
    segments = list(SegmentReader([path], "en"))
    assert [(s.id, s.text) for s in segments] == [("7", "Hello"), ("in.jsonl:3", "Bye")]
    assert segments[0].extra["domain"] == "mail"


def test_bad_lines_stop_the_reading_unless_they_are_to_be_skipped(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"text": "Hello"}\n{"text": \n[1]\n{"text": 5}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"in\.jsonl:2: not JSON"):
        _read(path)
    reader = SegmentReader([path], "en", SegmentFormat(skip_bad_lines=True))
    assert [s.text for s in reader] == ["Hello"]
    assert [problem.split(": ")[0].rsplit(":", 1)[1] for problem in reader.tally.unreadable] == ["2", "3", "4"]


def test_a_line_in_another_encoding_is_named_with_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_bytes("Good.\nCafé au lait.\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"in\.txt:2: byte 0xe9 is not utf-8.*--encoding"):
        _read(path)
    assert _read(path, SegmentFormat(encoding="latin-1")) == ["Good.", "Café au lait."]
    assert _read(path, SegmentFormat(skip_bad_lines=True)) == ["Good."]
    with pytest.raises(InputError, match="no encoding 'latin-15x'"):
        _read(path, SegmentFormat(encoding="latin-15x"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "gb18030"])
@given(lines=st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Cn"]), max_size=20), max_size=5))
def test_files_in_any_encoding_read_as_they_were_written(encoding: str, lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("encoded") / "in.txt"
    path.write_bytes("".join(line + "\n" for line in lines).encode(encoding))
    assert [line.text for line in read_lines(path, encoding=encoding)] == lines


def test_two_files_of_one_name_give_different_ids(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "in.txt", tmp_path / "b" / "in.txt"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(f"A sentence of {path.parent.name}.\n", encoding="utf-8")
    ids = [s.id for s in SegmentReader(paths, "en")]
    assert len(set(ids)) == 2


def test_repeated_ids_are_replaced_by_places(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "x", "text": "Hello"}\n{"id": "x", "text": "Bye"}\n', encoding="utf-8")
    assert [s.id for s in SegmentReader([path], "en")] == ["x", "in.jsonl:2"]


def test_standard_input_can_be_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Hello.\nBye.\n")))
    reader = SegmentReader(["-"], "en")
    assert reader.count() == 2
    assert [s.id for s in reader] == ["stdin:1", "stdin:2"]


@pytest.mark.parametrize(("name", "message"), [("missing.txt", "No such file"), (".", "is a folder")])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        _read(tmp_path / name)


def test_an_unknown_format_names_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="no input format 'docx'"):
        _read(tmp_path / "in.txt", SegmentFormat(kind="docx"))


def test_output_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("before", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError), open_output(path) as stream:
        print("half", "\ud800".encode("utf-8"), file=stream)
    assert path.read_text(encoding="utf-8") == "before"
    assert list(tmp_path.iterdir()) == [path]
    with open_output(path) as stream:
        stream.write("whole")
    assert path.read_text(encoding="utf-8") == "whole"


def test_a_device_is_written_to_not_replaced() -> None:
    with open_output("/dev/null") as stream:
        stream.write("gone")
    assert not Path("/dev/null").is_file()


def test_a_full_disk_is_said_to_be_full() -> None:
    with pytest.raises(InputError, match="/dev/full: cannot write it: No space left"), open_output("/dev/full") as stream:
        stream.write("x" * 100_000)
