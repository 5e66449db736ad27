"""Repairs for people and for tools: the terminal, JSON Lines, and translation pairs as TMX or CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from rich.console import Console
from rich.text import Text

from metaphrase import __version__
from metaphrase.campaign.repairing import RepairSummary
from metaphrase.core.errors import ConfigurationError
from metaphrase.files.cases import dumps
from metaphrase.files.lines import open_output
from metaphrase.repair.values import Repair

__all__ = ["check_format", "plan_line", "repair_lines", "show_repairs", "write_repairs"]

FORMATS = ("jsonl", "tmx", "csv")


def check_format(path: Path) -> str:
    name = "jsonl" if str(path) == "-" else path.suffix.removeprefix(".").lower()
    if name not in FORMATS:
        raise ConfigurationError(f"{path}: repairs are written as {', '.join('.' + f for f in FORMATS)}")
    return name


def write_repairs(repairs: Sequence[Repair], path: Path) -> None:
    """JSON Lines hold every row; TMX and CSV the pairs (source, repaired target) of accepted ones, each once."""
    form = check_format(path)
    with open_output(path) as stream:
        if form == "jsonl":
            stream.writelines(dumps(repair.to_json()) + "\n" for repair in repairs)
        elif form == "tmx":
            _write_tmx(_pairs(repairs), stream)
        else:
            _write_csv(_pairs(repairs), stream)


def _pairs(repairs: Iterable[Repair]) -> list[Repair]:
    """The last accepted repair of every system's text: later ones were made on top of earlier ones."""
    return list({(str(r.case.direction), r.system, r.input): r for r in repairs if r.accepted}.values())


def _write_csv(repairs: Sequence[Repair], stream: IO[str]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["source", "target", "before", "source_language", "target_language", "id", "system"])
    for r in repairs:
        writer.writerow([r.input, r.after, r.before, r.case.direction.source, r.case.direction.target, r.case.id, r.system])


def _write_tmx(repairs: Sequence[Repair], stream: IO[str]) -> None:
    languages = sorted({r.case.direction.source for r in repairs})
    head = {
        "creationtool": "metaphrase", "creationtoolversion": __version__, "segtype": "sentence", "o-tmf": "metaphrase", "adminlang": "en",
        "srclang": languages[0] if len(languages) == 1 else "*all*", "datatype": "plaintext",
    }  # fmt: skip
    stream.write('<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n')
    stream.write(f"  <header {' '.join(f'{k}={quoteattr(v)}' for k, v in head.items())}/>\n  <body>\n")
    for repair in repairs:
        stream.write(f"    <tu tuid={quoteattr(repair.case.id)}>\n")
        stream.write(f'      <prop type="x-before">{escape(_xml_text(repair.before))}</prop>\n')
        if repair.system:
            stream.write(f'      <prop type="x-system">{escape(_xml_text(repair.system))}</prop>\n')
        for code, text in ((repair.case.direction.source, repair.input), (repair.case.direction.target, repair.after)):
            stream.write(f"      <tuv xml:lang={quoteattr(code)}><seg>{escape(_xml_text(text))}</seg></tuv>\n")
        stream.write("    </tu>\n")
    stream.write("  </body>\n</tmx>\n")


def _xml_text(text: str) -> str:
    """Without the control characters that XML cannot hold at all."""
    return "".join(c for c in text if c in "\t\n\r" or (ord(c) >= 32 and not 0xD800 <= ord(c) <= 0xDFFF and ord(c) not in (0xFFFE, 0xFFFF)))


def show_repairs(console: Console, repairs: Iterable[Repair], *, refused: bool = False, limit: int | None = None) -> None:
    """Accepted repairs with the changed words marked, who supports them, and the scores; refused ones with the reason, if asked for."""
    shown = hidden = 0
    for repair in repairs:
        if not repair.accepted and not refused:
            continue
        if limit is not None and shown == limit:
            hidden += 1
            continue
        shown += 1
        _show(console, repair, shown)
    if hidden:
        console.print(f"{hidden} more; write them all with -o repairs.jsonl")


# Kinds whose origin is a name; of the others it is a sentence, which stands among those that show the wording.
_NAMED = ("part", "engine", "phrase")


def _show(console: Console, repair: Repair, number: int) -> None:
    evidence = repair.evidence
    head = Text(f"{number}. ", style="bold").append(
        "repaired" if repair.accepted else "not repaired", style="green" if repair.accepted else "yellow"
    )
    console.print(head.append(f"  {repair.case.id}  {repair.system}".rstrip(), style="dim"))
    rows = [("source", Text(repair.input)), ("before", _marked(repair, "before", "red"))]
    if repair.after != repair.before:
        rows.append(("after" if repair.accepted else "tried", _marked(repair, "after", "green")))
    rows.append(("why", Text(_why(repair))))
    for supporter in list(evidence.get("supported_by", ()))[:3]:
        rows.append(("like", Text(supporter, style="dim")))
    for label, text in rows:
        console.print(Text(f"   {label:>9}  ", style="dim").append_text(text))
    console.print()


def _why(repair: Repair) -> str:
    evidence = repair.evidence
    if not repair.accepted:
        return str(evidence.get("reason", ""))
    ranked = f", ranked by {evidence['ranked_by']} ({evidence['rank_value']:.3f})" if evidence.get("ranked_by", "none") != "none" else ""
    parts = [f"{evidence['kind']} from {evidence['from']}{ranked}" if evidence["kind"] in _NAMED else f"{evidence['kind']}{ranked}"]
    votes = evidence.get("votes")
    if votes:
        parts.append(f"{votes['new']} of {votes['voters']} variants show the new wording, {votes['old']} the old one")
    for way in evidence.get("way_back", ()):
        words = f"{way['before']['words']} → {way['after']['words']} words of the source come back"
        parts.append(f"{words} by {way['system']} ({way['before']['likeness']:.2f} → {way['after']['likeness']:.2f} alike)")
    before, after = evidence.get("score_before"), evidence.get("score_after")
    if before is not None and after is not None:
        parts.append(f"{evidence['relation']} {before:.3f} → {after:.3f}")
    also = evidence.get("also_repairs", ())
    if also:
        parts.append(f"repairs {len(also)} more")
    return "; ".join(parts)


def _marked(repair: Repair, side: str, style: str) -> Text:
    text = repair.before if side == "before" else repair.after
    result = Text()
    position = 0
    for change in repair.evidence.get("changed", ()):
        start, end = change[side]["start"], change[side]["end"]
        if end > start:
            result.append(text[position:start])
            result.append(f"⟦{text[start:end]}⟧", style=style)
            position = end
    return result.append(text[position:])


def plan_line(summary: RepairSummary) -> str:
    """What will be asked for, before anything is."""
    return (
        f"{summary.violations} violations; repair asks for at most {summary.planned_texts} translations "
        f"(about {summary.planned_characters} characters), {summary.known_texts} variants are known"
    )


def repair_lines(summary: RepairSummary) -> list[str]:
    """The numbers after a run."""
    share = f" ({100 * summary.share:.0f} %)" if summary.share is not None else ""
    lines = [f"{summary.violations} violations, {summary.repaired} repaired{share} by {summary.accepted} repairs"]
    if len(summary.by_method) > 1:
        lines.append("; ".join(f"{name}: {repaired} of {count}" for name, (count, repaired) in sorted(summary.by_method.items())))
    if summary.unsuited:
        lines.append(f"{summary.unsuited} more cannot be repaired: they are not translated, or their language is not known")
    lines += [f"'{name}' had no answer for some variants: {reason}" for name, reason in summary.unanswered.items()]
    lines += [f"'{name}' was not asked to translate back: {reason}" for name, reason in summary.no_way_back.items()]
    sent = summary.sent
    lines.append(f"asked for {sent.sent_texts} translations ({sent.sent_characters} characters)")
    if summary.seconds:
        each = 1000 * sum(summary.seconds) / summary.violations
        lines.append(
            f"processor time without the engine's: {each:.0f} ms a violation, {1000 * median(summary.seconds):.0f} ms for the median text and "
            f"{max(summary.seconds):.1f} s for the slowest, which loads dictionaries; {summary.planning:.1f} s for choosing variants"
        )
    return lines
