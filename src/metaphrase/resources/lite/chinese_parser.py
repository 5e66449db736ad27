"""Shallow trees for Chinese from jieba's tags: noun phrases, prepositional phrases, verb groups.

Labels are those of the Chinese treebank, so that a tree reads like CoreNLP's, only flatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from metaphrase.core.signature import Signature
from metaphrase.text.tokens import Token, is_opaque, is_word, scan
from metaphrase.text.trees import Tree

__all__ = ["ChineseChunkParser"]

_TREEBANK = {
    flag: tag
    for tag, flags in {
        "NN": "n ng s j vn an k",
        "NR": "nr nrt nrfg ns nt nz",
        "NT": "t tg",
        "VV": "v vd vi vq vg i l",
        "JJ": "a ag b z h",
        "AD": "ad d dg df",
        "CD": "m mq",
        "M": "q",
        "PN": "r rr",
        "DT": "rz",
        "P": "p",
        "CC": "c",
        "LC": "f",
        "SP": "y",
        "IJ": "e",
        "ON": "o",
        "AS": "ul uz ug",
        "DEG": "uj",
        "DEV": "uv",
        "DER": "ud",
        "FW": "eng",
    }.items()
    for flag in flags.split()
}
_BY_WORD = {
    "是": "VC",
    "有": "VE",
    "没有": "VE",
    "的": "DEG",
    "地": "DEV",
    "得": "DER",
    "了": "AS",
    "着": "AS",
    "过": "AS",
    "被": "SB",
    "把": "BA",
    "将": "BA",
    "十分": "AD",
    "非常": "AD",
}
_DETERMINERS = frozenset("这 那 该 此 本 每 各 某 全 这些 那些 这个 那个 任何 所有 另".split())
_NOUNS = frozenset({"NN", "NR", "FW"})
# Verbs that the tagger's dictionary has as nouns: 医生建议病人.
_MOSTLY_VERBS = frozenset("建议 利用 动用 警告 命令 关心 贡献 运用".split())
_MODIFIERS = frozenset({"JJ", "CD", "M", "DT", "OD"}) | _NOUNS
_VERBS = frozenset({"VV", "VC", "VE", "AS", "AD"})
# After these a noun before 的 may belong to what stands before it: (发表言论)的权利, (纽约和华盛顿)的袭击, (价值更高)的商品.
_MAY_REACH_INTO_MODIFIERS = frozenset({"VV", "AD", "CC", "LC", "P", "BA", "SB", "DEG"})


class ChineseChunkParser:
    """A tree of one level of phrases; a noun phrase before 的 is a phrase of its own inside the longer one."""

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        return [_tree(_tagged(sentence)) for sentence in sentences]

    def signature(self) -> Signature:
        return Signature("chunk-parser", "1", {"language": "zh", "tagger": "jieba"})


def _tagged(sentence: str) -> list[Tree]:
    import jieba
    import jieba.posseg

    jieba.setLogLevel(60)
    leaves = []
    for kind, token in scan(sentence):
        if kind != "han":
            leaves.append(Tree(_other_tag(kind, token.text), token=token))
            continue
        position = token.start
        for word, flag in jieba.posseg.lcut(token.text):
            leaves.append(Tree(_tag(word, flag), token=Token(word, position, position + len(word))))
            position += len(word)
    for i, (leaf, following) in enumerate(pairwise(leaves)):
        # A noun that can be a verb is one before an aspect particle (工作了), and between a noun and what opens the next phrase (国家利用这一空间).
        behind_noun = i > 0 and leaves[i - 1].label in (*_NOUNS, "PN")
        opens_object = following.label in ("DT", "CD") or (_text(leaf) in _MOSTLY_VERBS and following.label in (*_NOUNS, "PN", "JJ"))
        if leaf.label == "NN" and (following.label == "AS" or (behind_noun and opens_object)):
            leaves[i] = Tree("VV", token=leaf.token)
        if leaf.token is not None and leaf.token.text == "·" and following.label == "NR":
            leaves[i] = Tree("NR", token=leaf.token)
    return leaves


def _tag(word: str, flag: str) -> str:
    if word in _BY_WORD:
        return _BY_WORD[word]
    if word in _DETERMINERS:
        return "DT"
    return _TREEBANK.get(flag, "NN" if flag.startswith("n") else "VV" if flag.startswith("v") else "X")


def _other_tag(kind: str, text: str) -> str:
    if is_opaque(text):
        return "SYM"
    if kind == "number":
        return "CD"
    return "FW" if is_word(text) else "PU"


def _tree(leaves: Sequence[Tree]) -> Tree:
    phrases: list[Tree] = []
    i = 0
    while i < len(leaves):
        label = leaves[i].label
        if label == "P":
            end = _noun_phrase_end(leaves, i + 1)
            closed = end < len(leaves) and leaves[end].label == "LC"  # what 里 or 中 closes is one phrase
            if not closed and _noun_phrase_end(leaves[: _first_modifier_end(leaves, i + 1)], i + 1) < end:
                end = i + 1
            timed = end == i + 1 < len(leaves) and leaves[end].label == "NT"
            if end > i + 1 or timed:
                end += timed
                inner: list[Tree] = [leaves[i], _noun_phrase(leaves[i + 1 : end])]
                if end < len(leaves) and leaves[end].label == "LC":
                    inner.append(leaves[end])
                    end += 1
                phrases.append(Tree("PP", tuple(inner)))
                i = end
                continue
        end = _noun_phrase_end(leaves, i)
        if i and (leaves[i - 1].label in _MAY_REACH_INTO_MODIFIERS or _text(leaves[i - 1]) == "、"):
            end = _noun_phrase_end(leaves[: _first_modifier_end(leaves, i)], i)
        if end > i:
            phrases.append(_noun_phrase(leaves[i:end]))
            i = end
        elif label in _VERBS:
            end = i + 1
            while end < len(leaves) and leaves[end].label in _VERBS:
                end += 1
            phrases.append(Tree("VP", tuple(leaves[i:end])))
            i = end
        else:
            phrases.append(leaves[i])
            i += 1
    return Tree("ROOT", (Tree("IP", tuple(phrases)),))


def _noun_phrase_end(leaves: Sequence[Tree], start: int) -> int:
    """After the last noun of modifiers, nouns and 的 that begin at `start`; `start` if there is no noun phrase."""
    last = start
    i = start
    while i < len(leaves):
        label = leaves[i].label
        # 的 joins only what it stands between, and a number that stands alone is none.
        if label == "DEG" and not (i > start and i + 1 < len(leaves) and leaves[i + 1].label in _MODIFIERS):
            break
        if label not in _MODIFIERS and label != "DEG":
            break
        if label == "DT" and i > start and leaves[i - 1].label in _NOUNS:
            break  # 国家 这一空间: another phrase
        i += 1
        if label in _NOUNS:
            last = i
    return last


def _first_modifier_end(leaves: Sequence[Tree], start: int) -> int:
    """Before the first 的 that follows a noun, or an adjective whose adverb stands outside; the end of the text if there is none."""
    cut_adverb = start > 0 and leaves[start - 1].label == "AD"
    for i in range(start + 1, len(leaves)):
        if leaves[i].label == "DEG" and (leaves[i - 1].label in _NOUNS or cut_adverb):
            return i
    return len(leaves)


def _text(leaf: Tree) -> str:
    return leaf.token.text if leaf.token is not None else ""


def _noun_phrase(leaves: Sequence[Tree]) -> Tree:
    """What stands before the last 的 is a phrase inside, if it ends in a noun."""
    for i in range(len(leaves) - 1, 0, -1):
        if leaves[i].label == "DEG" and leaves[i - 1].label in _NOUNS:
            return Tree("NP", (Tree("DNP", (_noun_phrase(leaves[:i]), leaves[i])), _noun_phrase(leaves[i + 1 :])))
    return Tree("NP", tuple(leaves))
