"""Guess how an answer goes on from the text it copies, and decide how much of that to try.

Prompt lookup (Saxena 2023, "Prompt Lookup Decoding"): where the last tokens stand in the prompt
or earlier in the answer, what followed them there is likely to follow again. The model then
verifies several tokens in one step, which costs less than so many steps.

What is tried depends on the tokens and on the costs alone, never on a clock, so the same
question gets the same steps, and with them the same answer to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

LONGEST, SHORTEST = 5, 2
"""Lengths of the runs of tokens that are looked up. Single tokens go on in the same way in
two cases of five, which does not pay on any machine measured."""

USUAL: Mapping[int, float] = {2: 0.80, 3: 0.85, 4: 0.88, 5: 0.91}
"""How often a token that is guessed by a run of that length is right: 69 answers of the default
model to the dev exam, 2,422 tokens."""

_WEIGHT = 4.0
"""Tokens that the usual figures count for against those of the answer itself: an answer that
copies nothing loses at most a few steps before its guesses stop."""

_LEAST_GAIN = 1.05
"""A wider step must promise so much more, since the costs are measured roughly."""


class Lookup:
    """The tokens so far, with the place after each run of them that was seen last."""

    def __init__(self, tokens: Iterable[int]) -> None:
        self._tokens: list[int] = []
        self._after: dict[tuple[int, ...], int] = {}
        for token in tokens:
            self.add(token)

    def add(self, token: int) -> None:
        """Go on by one token."""
        end = len(self._tokens)
        for length in range(SHORTEST, min(LONGEST, end) + 1):
            self._after[tuple(self._tokens[end - length :])] = end
        self._tokens.append(token)

    def guess(self, most: int) -> tuple[int, list[int]]:
        """The length of the longest run found, and up to `most` tokens that followed it.

        0 and nothing where no run was seen before.
        """
        end = len(self._tokens)
        for length in range(min(LONGEST, end), SHORTEST - 1, -1):
            at = self._after.get(tuple(self._tokens[end - length :]))
            if at is not None:
                return length, self._tokens[at : at + most]
        return 0, []


class Drafter:
    """Drafts tokens while that makes an answer quicker by the costs of steps.

    `costs` gives the time of a step by its number of tokens, in any unit; without a cost for
    more than one token nothing is drafted.
    """

    def __init__(self, tokens: Iterable[int], costs: Mapping[int, float]) -> None:
        self._costs = costs
        self._widest = max(costs)
        self._lookup = Lookup(tokens if self._widest > 1 else ())
        self._right = {length: USUAL[length] * _WEIGHT for length in USUAL}
        self._tried = dict.fromkeys(USUAL, _WEIGHT)
        self._length = 0

    def draft(self, token: int, room: int) -> list[int]:
        """Tokens to verify together with `token`, which goes before them; `room` at most."""
        if self._widest == 1:
            return []
        self._lookup.add(token)
        self._length, guessed = self._lookup.guess(min(self._widest - 1, room))
        return guessed[: self._width(len(guessed) + 1) - 1]

    def learn(self, drafted: list[int], accepted: int) -> None:
        """Note how many of the drafted tokens were right; those are part of the answer now."""
        if not drafted:
            return
        self._right[self._length] += accepted
        self._tried[self._length] += min(accepted + 1, len(drafted))
        for token in drafted[:accepted]:
            self._lookup.add(token)

    def _width(self, most: int) -> int:
        """The number of tokens of a step, at most `most`, that promises most tokens a second."""
        if most == 1:
            return 1
        right = self._right[self._length] / self._tried[self._length]
        rates = {w: _expected(w, right) / cost for w, cost in self._costs.items() if w <= most}
        best = max(rates, key=rates.__getitem__)
        return best if rates[best] >= _LEAST_GAIN * rates[1] else 1


def _expected(width: int, right: float) -> float:
    """Tokens gained by a step: one, and each guessed one while all before it are right."""
    return sum(right**i for i in range(width))
