"""What changed between two statements of the same language, by named rules.

The comparison is softened: "with", "containing" and "only" are one, "not X and not Y" is "neither X nor Y", order does not matter inside a
list. What is left are the things, what is said of them, how often, in which order, and whether it is denied.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from metaphrase.text.meaning.lexicon import Count, Mark

Kind = Literal["meaning", "number"]
Place = tuple[int, int]
_ORDERED: Final = frozenset({"before", "after", "follow"})
_UNBOUNDED: Final = Count(0, None)
_VERBS: Final = frozenset({"contain", "only", "start", "end", "have"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One change: the rule that saw it, where, and what it says."""

    rule: str
    kind: Kind
    says: str
    source: Place | None = None
    back: Place | None = None


@dataclass(slots=True)
class _Said:
    """One thing and all that a sentence says about it."""

    mark: Mark
    group: int
    """Number of the part between words of order that it stands in."""
    denied: bool = False
    edge: str = ""
    """``start`` or ``end`` of the line."""
    count: Count | None = None
    count_place: Place | None = None
    counted_with_group: bool = False
    own_clause: bool = False
    """A verb stands right before it ("or containing X"), so that it is no plain part of a list."""
    excused: bool = False
    """Under a denial or a count singular and plural mean the same."""


@dataclass(slots=True)
class _Facts:
    said: list[_Said] = field(default_factory=list)
    groups: list[Counter[str]] = field(default_factory=list)
    joints: list[set[str]] = field(default_factory=list)
    order_marks: list[Mark] = field(default_factory=list)
    denials: list[Mark] = field(default_factory=list)
    words: list[Place] = field(default_factory=list)
    kinds: list[Place] = field(default_factory=list)
    """"Word line": what a line should hold became what kind of line it is."""
    line_counts: list[Mark] = field(default_factory=list)
    loose_counts: list[Mark] = field(default_factory=list)


def _facts(marks: Sequence[Mark]) -> _Facts:
    facts = _Facts(groups=[Counter()], joints=[set()])
    denied = False
    edge = ""
    swap: list[int] = []
    for place, mark in enumerate(marks):
        after = marks[place + 1] if place + 1 < len(marks) else None
        before = marks[place - 1] if place else None
        if mark.kind == "thing":
            if mark.count is not None and not mark.plural and after is not None and after.kind in ("head", "words"):
                facts.line_counts.append(mark)  # "five vowel lines" counts lines
                mark = replace(mark, count=None)
            said = _Said(mark, len(facts.groups) - 1, denied, edge, mark.count, (mark.start, mark.end) if mark.count else None)
            said.own_clause = before is not None and before.kind in ("contain", "only")
            facts.said.append(said)
            facts.groups[-1][mark.name] += 1
            edge = ""
        elif mark.kind == "unknown" and mark.count is not None:
            facts.loose_counts.append(mark)
        elif mark.kind == "words":
            facts.words.append(_place(mark))
            if after is not None and after.kind == "head" and after.start - mark.end <= 1:
                facts.kinds.append((mark.start, after.end))
        elif mark.kind == "head":
            facts.line_counts += [mark] if mark.count is not None else []
        elif mark.kind in ("not", "instead"):
            denied = True
            facts.denials.append(mark)
        elif mark.kind in ("start", "end"):
            edge = mark.kind
        elif mark.kind == "terminated":
            if facts.said:
                facts.said[-1].edge = "end"
        elif mark.kind in _ORDERED:
            if mark.kind == "after":
                swap.append(len(facts.groups))
            facts.groups.append(Counter())
            facts.joints.append(set())
            facts.order_marks.append(mark)
            edge = ""
        elif mark.kind in ("and", "or"):
            facts.joints[-1].add(mark.kind)
            if denied and after is not None and after.kind in _VERBS:
                denied = False
        elif mark.kind == "count":
            host = facts.said[-1] if facts.said else None
            if mark.predicate or (place and marks[place - 1].kind == "head" and host is not None):
                facts.line_counts.append(mark)  # "the line at least six times" counts lines
            elif host is None:
                facts.loose_counts.append(mark)
            else:
                host.count, host.count_place = mark.count, (mark.start, mark.end)
                host.counted_with_group = True
    for at in swap:
        _swap(facts, at)
    _excuse(facts)
    return facts


def _swap(facts: _Facts, at: int) -> None:
    facts.groups[at - 1], facts.groups[at] = facts.groups[at], facts.groups[at - 1]
    facts.joints[at - 1], facts.joints[at] = facts.joints[at], facts.joints[at - 1]
    for said in facts.said:
        if said.group in (at - 1, at):
            said.group = 2 * at - 1 - said.group


def _excuse(facts: _Facts) -> None:
    """Where a change between singular and plural says nothing: under a denial, and where a count covers the thing."""
    last_group = len(facts.groups) - 1
    # "Not X or Y before Z": with a list and an order, later things may stand outside the denial.
    reaches_all = not (last_group > 0 and any(facts.joints))
    for said in facts.said:
        said.excused = (said.denied and reaches_all) or said.count is not None
    for place, said in enumerate(facts.said):
        if not said.counted_with_group:
            continue
        final = place == len(facts.said) - 1
        if final and last_group > 0:
            # "X before Y, six times" counts the whole, so that the number of Y still matters.
            said.excused = said.denied
            continue
        for other in facts.said[:place]:
            if other.group == said.group and facts.joints[said.group]:
                other.excused = True


def compare(source: Sequence[Mark], back: Sequence[Mark]) -> list[Difference]:
    """All changes that the rules see, those of meaning first."""
    ours, theirs = _facts(source), _facts(back)
    found = [*_things(ours, theirs), *_denials(ours, theirs), *_order(ours, theirs), *_edges(ours, theirs)]
    found += [*_joints(ours, theirs), *_names(ours, theirs), *_counts(ours, theirs), *_numbers(ours, theirs)]
    return found


def _place(mark: Mark) -> Place:
    return mark.start, mark.end


def _by_name(facts: _Facts) -> dict[str, list[_Said]]:
    table: dict[str, list[_Said]] = {}
    for said in facts.said:
        table.setdefault(said.mark.name, []).append(said)
    return table


def _things(ours: _Facts, theirs: _Facts) -> list[Difference]:
    left, right = _by_name(ours), _by_name(theirs)
    lost = [said for name, all_ in left.items() for said in all_[len(right.get(name, [])) :]]
    new = [said for name, all_ in right.items() for said in all_[len(left.get(name, [])) :]]
    found = [
        Difference("thing-changed", "meaning", "{source} came back as {back}", _place(a.mark), _place(b.mark))
        for a, b in zip(lost, new, strict=False)
    ]
    found += [Difference("thing-lost", "meaning", "{source} is lost", _place(a.mark)) for a in lost[len(new) :]]
    found += [Difference("thing-added", "meaning", "{back} was added", None, _place(b.mark)) for b in new[len(lost) :]]
    return found


def _pairs(ours: _Facts, theirs: _Facts) -> list[tuple[_Said, _Said]]:
    right = _by_name(theirs)
    out: list[tuple[_Said, _Said]] = []
    for name, all_ in _by_name(ours).items():
        out += zip(all_, right.get(name, []), strict=False)
    return out


def _denials(ours: _Facts, theirs: _Facts) -> list[Difference]:
    for a, b in _pairs(ours, theirs):
        if a.denied and not b.denied:
            return [Difference("negation-lost", "meaning", "{source} lost its negation: {back}", _place(_denial(ours, a)), _place(b.mark))]
        if b.denied and not a.denied:
            return [
                Difference("negation-added", "meaning", "{back} was denied, {source} was not", _place(a.mark), _place(_denial(theirs, b)))
            ]
    return []


def _denial(facts: _Facts, said: _Said) -> Mark:
    before = [mark for mark in facts.denials if mark.start <= said.mark.start]
    last = before[-1] if before else said.mark
    return Mark("thing", last.start, said.mark.end, said.mark.name) if last.start <= said.mark.start else said.mark


def _order(ours: _Facts, theirs: _Facts) -> list[Difference]:
    left = [group for group in ours.groups if group]
    right = [group for group in theirs.groups if group]
    if left == right:
        return []
    if sum(left, Counter()) != sum(right, Counter()) and len(left) == len(right):
        return []  # another thing stands there: that rule speaks
    place = _place(ours.order_marks[0]) if ours.order_marks else None
    back = _place(theirs.order_marks[0]) if theirs.order_marks else None
    if len(left) > len(right) and ours.order_marks:
        return [Difference("order-lost", "meaning", "{source} is not said any more", _place(ours.order_marks[-1]), _whole(theirs))]
    if len(left) < len(right) and theirs.order_marks:
        return [Difference("order-added", "meaning", "{back} was not said", None, _place(theirs.order_marks[-1]))]
    if sum(left, Counter()) != sum(right, Counter()):
        return []
    return [
        Difference(
            "order-changed", "meaning", "what stands where in {source} changed in {back}", place or _whole(ours), back or _whole(theirs)
        )
    ]


def _whole(facts: _Facts) -> Place | None:
    return (facts.said[0].mark.start, facts.said[-1].mark.end) if facts.said else None


def _edges(ours: _Facts, theirs: _Facts) -> list[Difference]:
    for a, b in _pairs(ours, theirs):
        if a.edge and b.edge and a.edge != b.edge:
            return [Difference("edge-changed", "meaning", f"{{source}}: '{a.edge}' became '{b.edge}'", _place(a.mark), _place(b.mark))]
    for a, b in _pairs(ours, theirs):
        if a.edge != b.edge and {s.edge for s in ours.said} == {s.edge for s in theirs.said}:
            edge = "start" if "start" in (a.edge, b.edge) else "end"
            return [
                Difference(
                    "edge-moved",
                    "meaning",
                    f"what stands at the {edge} changed: {{source}} came back as {{back}}",
                    _place(a.mark),
                    _place(b.mark),
                )
            ]
    mine, other = {s.edge for s in ours.said} - {""}, {s.edge for s in theirs.said} - {""}
    if mine - other:
        said = next(s for s in ours.said if s.edge in mine - other)
        return [Difference("edge-lost", "meaning", f"'{said.edge}' with {{source}} is lost", _place(said.mark), _whole(theirs))]
    if other - mine:
        said = next(s for s in theirs.said if s.edge in other - mine)
        return [Difference("edge-added", "meaning", f"'{said.edge}' with {{back}} was not said", None, _place(said.mark))]
    return []


def _joints(ours: _Facts, theirs: _Facts) -> list[Difference]:
    if [g for g in ours.groups if g] != [g for g in theirs.groups if g]:
        return []
    denied = {s.group for s in ours.said if s.denied}
    for number, (left, right) in enumerate(zip(ours.joints, theirs.joints, strict=False)):
        if number not in denied and left and right and not left & right:
            said = [s for s in ours.said if s.group == number]
            back = [s for s in theirs.said if s.group == number]
            if said and back:
                return [
                    Difference(
                        "logic-changed", "meaning", "{source} came back as {back}",
                        (said[0].mark.start, said[-1].mark.end), (back[0].mark.start, back[-1].mark.end),
                    )
                ]  # fmt: skip
    return []


def _names(ours: _Facts, theirs: _Facts) -> list[Difference]:
    """A literal that is called something else: "the string X" came back as "the word X"."""
    for a, b in _pairs(ours, theirs):
        if a.mark.noun == "string" and b.mark.noun not in ("string", ""):
            return [Difference("named-otherwise", "meaning", "{source} came back as {back}", _place(a.mark), _place(b.mark))]
    if theirs.kinds and not ours.kinds:
        return [Difference("kind-of-line", "meaning", "{back} is a kind of line, not what a line holds", _whole(ours), theirs.kinds[0])]
    if ours.words and not theirs.words:
        return [Difference("words-lost", "meaning", "{source} is lost", ours.words[0], _whole(theirs))]
    return []


def _counts(ours: _Facts, theirs: _Facts) -> list[Difference]:
    found: list[Difference] = []
    if theirs.line_counts and not ours.line_counts:
        mark = theirs.line_counts[0]
        found.append(Difference("count-of-lines", "meaning", "{back} counts the lines, not what is in them", _whole(ours), _place(mark)))
    mine, other = _counted(ours), _counted(theirs)
    mine_left, other_left = Counter(bounds for bounds, _ in mine), Counter(bounds for bounds, _ in other)
    lost = [place for bounds, place in mine if bounds in mine_left - other_left]
    new = [place for bounds, place in other if bounds in other_left - mine_left]
    if lost and new:
        found.append(Difference("count-changed", "meaning", "{source} came back as {back}", lost[0], new[0]))
    elif lost:
        found.append(Difference("count-lost", "meaning", "{source} is lost", lost[0], _whole(theirs)))
    elif new:
        found.append(Difference("count-added", "meaning", "{back} was not said", None, new[0]))
    else:
        for a, b in zip([s for s in ours.said if s.count], [s for s in theirs.said if s.count], strict=False):
            if not _same_host(ours, a, theirs, b):
                found.append(Difference("count-moved", "meaning", "{source} counts something else in {back}", a.count_place, b.count_place))
                break
    return found


def _counted(facts: _Facts) -> list[tuple[tuple[int, int | None], Place]]:
    """Every count with its bounds, wherever it stands; "the number of lines" bounds nothing by itself."""
    out = [((s.count.least, s.count.most), s.count_place) for s in facts.said if s.count is not None and s.count_place is not None]
    loose = [mark for mark in (*facts.loose_counts, *facts.line_counts) if mark.count is not None and mark.count != _UNBOUNDED]
    return [*out, *(((mark.count.least, mark.count.most), _place(mark)) for mark in loose if mark.count is not None)]


def _same_host(ours: _Facts, a: _Said, theirs: _Facts, b: _Said) -> bool:
    if a.mark.name == b.mark.name:
        return True
    # "X or Y at least once" and "at least one X or Y" count the same list, and so may "X at least once or Y".
    if a.group != b.group:
        return False
    final, first = a.counted_with_group and a is ours.said[-1], next(s for s in theirs.said if s.group == b.group)
    return (final and not b.counted_with_group and b is first) or (b.counted_with_group and b is theirs.said[-1] and not b.own_clause)


def _numbers(ours: _Facts, theirs: _Facts) -> list[Difference]:
    found: list[Difference] = []
    for a, b in _pairs(ours, theirs):
        if a.excused or b.excused or a.mark.name.startswith("<"):
            continue
        if b.mark.plural and not a.mark.plural:
            found.append(Difference("number-plural", "number", "{source} came back as {back}", _place(a.mark), _place(b.mark)))
        elif a.mark.plural and not b.mark.plural and b.mark.article == "a":
            found.append(Difference("number-singular", "number", "{source} came back as {back}", _place(a.mark), _place(b.mark)))
    return found
