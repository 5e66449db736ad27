"""The meaning language: syntax, automata and the three similarities."""

from __future__ import annotations

import itertools
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaphrase.text.meaning import automata, regex
from metaphrase.text.meaning.automata import Budget, Compiler, LimitReached, Limits
from metaphrase.text.meaning.regex import Complement, Concat, Intersection, Literal, Node, RegexSyntaxError, Repeat, Union
from metaphrase.text.meaning.similarity import compare_regexes, language_similarity, regex_similarity

CLASSES = {
    "VOW": set("aeiouAEIOU"),
    "NUM": set(string.digits),
    "LET": set(string.ascii_letters),
    "CAP": set(string.ascii_uppercase),
    "LOW": set(string.ascii_lowercase),
}
SYMBOLS = string.ascii_letters + string.digits
WORDS = ["", *SYMBOLS, *map("".join, itertools.product("aZ5dog", repeat=2)), *map("".join, itertools.product("aZ5dog", repeat=3))]

LEAVES = st.one_of(
    st.just(regex.AnyCharacter()),
    st.sampled_from([regex.CharacterClass(name) for name in regex.CLASS_NAMES]),
    st.sampled_from([Literal("dog"), Literal("a"), Literal("g")]),
)
BOUNDS = st.sampled_from([(0, None), (1, None), (2, None), (0, 1), (0, 2), (2, 2), (1, 3)])


def _grow(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(Concat),
        pairs.map(Union),
        pairs.map(Intersection),
        inner.map(Complement),
        st.builds(lambda body, bounds: Repeat(body, *bounds), inner, BOUNDS),
    )


EXPRESSIONS = st.recursive(LEAVES, _grow, max_leaves=6)


def matches(node: Node, word: str) -> bool:
    """The definition of the language, word by word: slow, and written without automata."""
    match node:
        case regex.AnyCharacter():
            return len(word) == 1
        case regex.CharacterClass(name):
            return len(word) == 1 and word in CLASSES[name]
        case Literal(text):
            return word == text
        case Union(parts):
            return any(matches(part, word) for part in parts)
        case Intersection(parts):
            return all(matches(part, word) for part in parts)
        case Complement(body):
            return not matches(body, word)
        case Concat((first, *rest)):
            tail = Concat(tuple(rest)) if rest else regex.Empty()
            return any(matches(first, word[:cut]) and matches(tail, word[cut:]) for cut in range(len(word) + 1))
        case Repeat(body, least, most):
            return _repeats(body, word, least, most)
    return word == ""


def _repeats(body: Node, word: str, least: int, most: int | None) -> bool:
    if most == 0:
        return word == ""
    if least <= 0 and word == "":
        return True
    rest = None if most is None else most - 1
    starts = range(0 if least > 0 else 1, len(word) + 1)
    return any(matches(body, word[:cut]) and _repeats(body, word[cut:], max(least - 1, 0), rest) for cut in starts)


def run(dfa: automata.Dfa, alphabet: automata.Alphabet, word: str, node: Node) -> bool:
    """Follow a word through an automaton; the atom of a character shows in which leaves admit it."""
    leaves = {leaf for leaf in regex.walk(node) if isinstance(leaf, (regex.CharacterClass, Literal))}
    state = 0
    for character in word:
        admitting = {"."} | {leaf.name for leaf in leaves if isinstance(leaf, regex.CharacterClass) and character in CLASSES[leaf.name]}
        admitting |= {character} if any(isinstance(leaf, Literal) and character in leaf.text for leaf in leaves) else set()
        (atom,) = [a for a in range(len(alphabet.weights)) if {n for n, mask in alphabet.masks.items() if mask >> a & 1} == admitting]
        state = dfa.moves[state][atom]
    return dfa.accepting[state]


@given(node=EXPRESSIONS)
@settings(max_examples=120)
def test_an_automaton_accepts_exactly_the_words_of_the_definition(node: Node) -> None:
    alphabet = automata.alphabet_of([node])
    dfa = Compiler(alphabet, Budget.of(Limits())).compile(node)
    for word in WORDS[::3]:
        assert run(dfa, alphabet, word, node) == matches(node, word), (regex.show(node), word)


@given(node=EXPRESSIONS)
def test_what_is_written_reads_back_as_the_same_language(node: Node) -> None:
    again = regex.parse(regex.show(node))
    compiler = Compiler(automata.alphabet_of([node, again]), Budget.of(Limits()))
    assert automata.equivalent(compiler.compile(node), compiler.compile(again))


@given(node=EXPRESSIONS)
def test_word_counts_are_those_of_the_definition(node: Node) -> None:
    compiler = Compiler(automata.alphabet_of([node]), Budget.of(Limits()))
    dfa = compiler.compile(node)
    counts = list(itertools.islice(automata.count_words(dfa, dfa, compiler), 2))
    assert counts[0].both == matches(node, "")
    assert counts[1].both == sum(matches(node, symbol) for symbol in SYMBOLS)


def test_counts_agree_with_the_papers_worked_example() -> None:
    # SemMT, section 3.3.3: [A-Z]{0,3} has 1 + 26 + 26^2 + 26^3 = 18279 words; section 3.4.2: up to length 6 the union has 321272407.
    many, few = regex.parse("[<CAP>]{3,}"), regex.parse("[<CAP>]{0,3}")
    compiler = Compiler(automata.alphabet_of([many, few]), Budget.of(Limits()))
    counts = list(itertools.islice(automata.count_words(compiler.compile(many), compiler.compile(few), compiler), 7))
    assert sum(c.right for c in counts) == 18279
    assert sum(c.both for c in counts) == 17576
    assert sum(c.left + c.right - c.both for c in counts) == 321272407


def test_regex_similarity_is_the_papers_for_its_first_example() -> None:
    assert regex_similarity("[<CAP>]{3,}", "[<CAP>]{0,3}") == pytest.approx(0.5)


def test_equal_languages_written_differently_have_language_similarity_1() -> None:
    assert language_similarity(regex.parse("( . * ) ( [<VOW>] )"), regex.parse("( ( . * ) ( [<VOW>] ) ) +")) == 1.0


def test_languages_without_a_common_word_have_language_similarity_0() -> None:
    assert language_similarity(regex.parse("[<NUM>]"), regex.parse("[<LET>]")) == 0.0


def test_two_empty_languages_are_equal() -> None:
    assert language_similarity(regex.parse("[<NUM>] & [<LET>]"), regex.parse("[<CAP>] & [<LOW>]")) == 1.0


@pytest.mark.parametrize("text", ["", "(", "( . ", "a | | b", "[ <XYZ> ]", "* a", "a { 5 , 2 }", "a )", "~"])
def test_an_unreadable_expression_is_named_with_its_place_and_not_scored(text: str) -> None:
    with pytest.raises(RegexSyntaxError):
        regex.parse(text)
    outcome = compare_regexes(text, "[<LET>]")
    assert outcome.language is None
    assert outcome.why


def test_catastrophic_nesting_is_not_decided_instead_of_hanging() -> None:
    bomb = "( . * [<VOW>] . * ) { 9 , } & " + " & ".join(f"( . * [<LET>] . {{ {n} }} ) {{ {n} , }}" for n in range(8, 15))
    outcome = compare_regexes(bomb, f"~ ( {bomb} ) | ( [<CAP>] . {{ 14 }} ) *", limits=Limits(states=4_000, seconds=0.5))
    assert outcome.language is None
    assert "not compared" in outcome.why


def test_deep_brackets_are_refused_not_recursed_into() -> None:
    with pytest.raises(RegexSyntaxError, match="levels"):
        regex.parse("( " * 5_000 + "." + " )" * 5_000)


def test_limits_are_kept() -> None:
    node = regex.parse("( . * [<VOW>] . { 12 } ) & ( . * [<NUM>] . { 11 } )")
    with pytest.raises(LimitReached):
        Compiler(automata.alphabet_of([node]), Budget.of(Limits(states=500, seconds=5.0))).compile(node)
