"""The lexical aligner's link scorer with what the encoder sees as further features.

For the pairs of languages that gold alignments were at hand for; the softmax rule serves the others. The
scorer, its rounds and its other features are those of the lite profile; its weights are learnt again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from metaphrase.core.signature import Signature
from metaphrase.core.values import Direction
from metaphrase.core.weights import Weights
from metaphrase.resources.lite.aligner import LexicalAligner, Prepared
from metaphrase.resources.lite.evidence import EvidenceSource, Matrix
from metaphrase.resources.lite.link_features import FunctionWords
from metaphrase.resources.neural.aligner import aligner_pieces, both_ways
from metaphrase.resources.neural.embedder import word_means
from metaphrase.resources.neural.encoder import Encoder, States
from metaphrase.resources.neural.wordpiece import Pieces
from metaphrase.resources.protocols import TokenPair

__all__ = ["ContextualAligner", "context_features"]

_LAYERS = (8, 9)
_TOGETHER = 32  # pairs that are encoded at a time

_ByLayer = dict[int, States]


class ContextualAligner(LexicalAligner):
    """Links by dictionary, spelling, position, batch statistics and the encoder together.

    `again`: the same pairs will be aligned again, so all that is encoded is worth remembering.
    """

    def __init__(
        self,
        direction: Direction,
        evidence: EvidenceSource,
        weights: Weights,
        encoder: Encoder,
        *,
        transposed: bool = False,
        threshold: float | None = None,
        again: bool = False,
    ) -> None:
        super().__init__(direction, evidence, weights, transposed=transposed, threshold=threshold)
        self._encoder = encoder
        self._again = again

    def _prepared(self, pairs: Sequence[TokenPair], function_words: Sequence[FunctionWords] | None) -> Iterator[Prepared]:
        prepared = super()._prepared(pairs, function_words)
        sides = aligner_pieces(self._encoder, pairs, self._direction)
        layers = [layer for layer in _LAYERS if layer in self._encoder.layers] or [self._encoder.layers[0]]
        for item, pieces, states in zip(prepared, sides, self._states(sides, layers), strict=True):
            found: dict[str, Matrix] = {}
            for layer in layers if item.features else ():
                seen = context_features(pieces, states[0][layer], states[1][layer])
                found |= {f"layer-{layer}-{name}": value.T if self._transposed else value for name, value in seen.items()}
            yield Prepared(item.words, item.features | found)

    def _states(self, sides: Sequence[tuple[Pieces, Pieces]], layers: Sequence[int]) -> Iterator[tuple[_ByLayer, _ByLayer]]:
        """Some pairs at a time, which bounds memory; the next ones are encoded while the caller works on these."""
        parts = [sides[start : start + _TOGETHER] for start in range(0, len(sides), _TOGETHER)]

        def encode(part: Sequence[tuple[Pieces, Pieces]]) -> list[_ByLayer]:
            # Word closure asks for the last of these layers again, when it compares left-over words.
            remember = layers if self._again else layers[-1:]
            return self._encoder.states([side.ids for pair in part for side in pair], layers, remember=remember)

        with ThreadPoolExecutor(max_workers=1) as worker:
            ahead: Future[list[_ByLayer]] | None = None
            for part in [*parts, None]:
                ready, ahead = ahead, worker.submit(encode, part) if part is not None else None
                if ready is not None:
                    found = ready.result()
                    yield from zip(found[::2], found[1::2], strict=True)

    def signature(self) -> Signature:
        base = super().signature()
        return Signature("contextual-aligner", base.version, {**base.parameters, "model": self._encoder.signature()})


def context_features(pieces: tuple[Pieces, Pieces], source: States, target: States) -> dict[str, Matrix]:
    """What the states of one layer say about every pair of words: how surely their pieces choose each other, and how alike they are."""
    shape = (pieces[0].words[-1] + 1, pieces[1].words[-1] + 1)
    forward, backward = (_lifted(p, pieces) for p in both_ways(source @ target.T))
    left, right = word_means(source, pieces[0], shape[0]), word_means(target, pieces[1], shape[1])
    left /= np.linalg.norm(left, axis=1, keepdims=True) + 1e-9
    right /= np.linalg.norm(right, axis=1, keepdims=True) + 1e-9
    cosine: Matrix = (left @ right.T).astype(np.float64)
    both = np.sqrt(forward * backward)
    return {
        "forward": forward,
        "backward": backward,
        "both-ways": both,
        "log-forward": np.log(forward + 1e-5),
        "log-backward": np.log(backward + 1e-5),
        "mutual": ((forward > 1e-3) & (backward > 1e-3)) * 1.0,
        "mutual-best": ((both >= both.max(1, keepdims=True)) & (both >= both.max(0, keepdims=True))) * 1.0,
        "cosine": cosine,
        "cosine-in-row": _standing(cosine, 1),
        "cosine-in-column": _standing(cosine, 0),
    }


def _lifted(probabilities: States, pieces: tuple[Pieces, Pieces]) -> Matrix:
    """From pieces to words: the best of the pieces."""
    starts = [np.searchsorted(np.asarray(side.words), np.arange(side.words[-1] + 1)) for side in pieces]
    by_row = np.maximum.reduceat(probabilities, starts[0], axis=0)
    return np.maximum.reduceat(by_row, starts[1], axis=1).astype(np.float64)


def _standing(values: Matrix, axis: int) -> Matrix:
    """How far a value lies above the others of its row (axis 1) or column, in standard deviations."""
    return np.asarray((values - values.mean(axis, keepdims=True)) / (values.std(axis, keepdims=True) + 0.02))
