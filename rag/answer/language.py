"""Tell in which language a question is asked, by its script or its function words.

Statistical detectors take a short question with typing errors for Dutch or Danish; function
words do not, and a question read as English by mistake is still answered.
"""

from __future__ import annotations

import re
import unicodedata

from rag.text import fold

_SCRIPTS = (
    ("HIRAGANA", "Japanese"), ("KATAKANA", "Japanese"), ("HANGUL", "Korean"), ("CJK", "Chinese"),
    ("CYRILLIC", "Russian"), ("ARABIC", "Arabic"), ("HEBREW", "Hebrew"), ("GREEK", "Greek"),
    ("DEVANAGARI", "Hindi"), ("THAI", "Thai"),
)  # fmt: skip
_FUNCTION_WORDS = {
    "Spanish": "que el la los las una por para con como cual cuales donde cuando se esta este "
    "esto del al y es son hay sobre mas sus su trabajo presenta quien cuanto cuantos en un de",
    "German": "der die das den dem des und ist sind ein eine einen einer wie was welche welcher "
    "welches wenn man um viel wird werden mit von zu auf fur im nicht gibt es bei uber wer warum",
    "French": "le la les un une des du que quel quelle quels quelles pour est sont dans avec sur "
    "qui comment combien pourquoi il elle par ce cette et au aux predit en de",
    "Italian": "il lo gli una che quale quali per con come sono nel nella della delle dei del di "
    "chi quanto quanti perche questo questa e si",
    "Portuguese": "o os as um uma que qual quais para com como sao no na nos nas do da dos das de "
    "quem quanto quantos por isso este esta e se",
    "Dutch": "het een en van welke welk wat wie hoe waarom zijn wordt met voor op aan bij niet "
    "deze dit er naar ook",
}  # fmt: skip
_WORDS = {name: frozenset(words.split()) for name, words in _FUNCTION_WORDS.items()}
_ENGLISH = frozenset(
    "the a an of is are was what which who how why when where does do did can for with on in to "
    "and or that this it its they their there any from by be at as about than not".split()
)


def language_of(text: str) -> str | None:
    """The English name of the language; None where it is English or cannot be told."""
    script = _script(text)
    if script:
        return script
    words = re.findall(r"[a-z]+", fold(text))
    english = sum(word in _ENGLISH for word in words)
    counts = {name: sum(word in own for word in words) for name, own in _WORDS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= 2 and counts[best] > english else None


def _script(text: str) -> str | None:
    letters = [char for char in text if char.isalpha()]
    for name, language in _SCRIPTS:
        own = sum(unicodedata.name(char, "").startswith(name) for char in letters)
        if own >= 4 and own >= 0.3 * len(letters):
            return language
    return None
