"""Make text readable, comparable and divisible: cleaning, folding, words, sentences."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

import snowballstemmer

# ---------------------------------------------------------------- cleaning

_ATTRIBUTES = r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*\s*/?>"
_TAG = re.compile(
    r"</?(?:jats:)?(?:i|b|u|em|strong|sub|sup|italic|bold|sc|span|inline-formula|tex-math|math|"
    r"mml:\w+|mi|mo|mn|mrow|msub|msup|a)" + _ATTRIBUTES,
    re.IGNORECASE,
)
_BLOCK = re.compile(
    r"</?(?:jats:)?(?:p|sec|title|label|div|br|list|list-item|abstract|abstracttext|h[1-6]|ul|ol|"
    r"li)" + _ATTRIBUTES,
    re.IGNORECASE,
)
_SOFT = re.compile("\u00ad\\s*|[\u200b-\u200d\u2060\ufeff]")
_BROKEN = re.compile(r"(?<![\w-])([^\W\d_]+)[-\u2010]\s*\n\s*([^\W\d_]*[a-z])")
_BROKEN_COMPOUND = re.compile(r"([\w])([-\u2010])\s*\n\s*(?=[^\W_])")
_VARIANT = re.compile("[\ufb00-\ufb06\U0001d400-\U0001d7ff\uff01-\uff5e\u2100-\u214f]")
_HYPHENS = str.maketrans({c: "-" for c in "\u2010\u2011\u2212\ufe63\uff0d\ufe58"})

_ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    '"': "\u0308",
    "=": "\u0304",
    ".": "\u0307",
    "u": "\u0306",
    "v": "\u030c",
    "H": "\u030b",
    "c": "\u0327",
    "k": "\u0328",
    "r": "\u030a",
    "d": "\u0323",
    "b": "\u0331",
}
_ACCENT = re.compile(
    r"""\{?\\(?:([`'^~"=.])\s*|([uvHckrdb])(?:\s+|(?=\{)))"""
    r"""(?:\{\s*(\\?[A-Za-z])\s*\}|(\\?[A-Za-z](?![A-Za-z])|[A-Za-z]))(\})?"""
)
_LETTERS = {
    "ss": "ß",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "i": "ı",
    "j": "ȷ",
}
_LETTER = re.compile(r"\{?\\(ss|ae|AE|oe|OE|aa|AA|[oOlLij])(?:\{\}|(\})|\s+(?=\w)|(?![A-Za-z]))")

_SYMBOLS = {
    **{name: chr(0x3B1 + i) for i, name in enumerate(
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
        "varsigma sigma tau upsilon phi chi psi omega".split()
    )},
    **{name: chr(0x391 + i) for i, name in enumerate(
        "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho "
        "_ Sigma Tau Upsilon Phi Chi Psi Omega".split()
    )},
    "varepsilon": "ε", "varphi": "φ", "vartheta": "ϑ", "ell": "ℓ", "nabla": "∇", "partial": "∂",
    "infty": "∞", "times": "×", "cdot": "·", "cdots": "⋯", "ldots": "…", "dots": "…", "pm": "±",
    "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "ll": "≪", "gg": "≫",
    "approx": "≈", "sim": "~", "simeq": "≃", "equiv": "≡", "propto": "∝", "in": "∈",
    "notin": "∉", "subset": "⊂", "subseteq": "⊆", "cup": "∪", "cap": "∩", "to": "→",
    "rightarrow": "→", "leftarrow": "←", "Rightarrow": "⇒", "mapsto": "↦", "sum": "∑",
    "prod": "∏", "int": "∫", "forall": "∀", "exists": "∃", "otimes": "⊗", "oplus": "⊕",
    "circ": "∘", "star": "⋆", "ast": "*", "lesssim": "≲", "gtrsim": "≳", "mid": "|", "vert": "|",
    "Vert": "‖", "langle": "⟨", "rangle": "⟩", "lVert": "‖", "rVert": "‖", "degree": "°",
    "percnt": "%", "textasciitilde": "~", "textbackslash": "\\", "textdegree": "°", "log": "log",
    "exp": "exp", "min": "min", "max": "max", "sin": "sin", "cos": "cos", "tanh": "tanh",
    "sup": "sup", "inf": "inf", "lim": "lim", "arg": "arg", "det": "det", "dim": "dim",
    "LaTeX": "LaTeX", "TeX": "TeX", "S": "§", "copyright": "©", "textemdash": "—",
    "textendash": "–", "quad": " ", "qquad": " ",
}  # fmt: skip
_DROPPED = (
    "left|right|big|Big|bigg|Bigg|bigl|bigr|Bigl|Bigr|displaystyle|textstyle|limits|nolimits|"
    "it|bf|em|rm|sf|tt|sc|noindent|par|centering|small|footnotesize|protect|xspace|ensuremath"
)
_DROP = re.compile(rf"\\(?:{_DROPPED})(?![A-Za-z])\s?")
_WRAP = (
    "text(?:it|bf|tt|sc|rm|sf|sl|up|normal|superscript|subscript|color)?|emph|underline|mbox|"
    "hbox|mathrm|mathbf|mathit|mathcal|mathbb|mathsf|mathtt|mathfrak|mathscr|boldsymbol|bm|"
    "operatorname\\*?|widetilde|widehat|tilde|hat|bar|vec|overline|url|footnote|enquote|uline|"
    "textquote|mathop|dot|ddot|phantom|texttt|vspace|hspace|label"
)
_WRAPPED = re.compile(rf"\\(?:{_WRAP})\s*\{{([^{{}}]*)\}}")
_HREF = re.compile(r"\\href\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_LONE_ROOT = re.compile(r"√\((\w)\)")
_LONE_PARTS = re.compile(r"\((√?\w[⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ]*)\)/\((√?\w[⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ]*)\)")
_CITE = re.compile(
    r"~?\\(?:cite[a-z]*\*?|ref|eqref|autoref|cref)\s*(?:\[[^\]]{0,200}\]){0,4}\{[^{}]*\}"
)
_MACRO = re.compile(r"\\([A-Za-z]+)")
_ESCAPED = re.compile(r"\\([%&_$#{}~^ ,;:!|-])")
_SPACE_LIKE = frozenset(" ,;:~")
# No run goes past the next opening here and below: text made to be slow, such as a million
# times "\(", must not be.
_DISPLAY = re.compile(
    r"\$\$((?:(?!\$\$).){1,1000}?)\$\$|\\\(((?:(?!\\\().){1,1000}?)\\\)"
    r"|\\\[((?:(?!\\\[).){1,1000}?)\\\]",
    re.DOTALL,
)
_MATH = re.compile(r"(?<![\\$])\$(?=[^\s$])([^$]*?[^\s$\\])\$(?![\d$])", re.DOTALL)
_SCRIPT = re.compile(r"([\^_])\s*(?:\{([^{}]*)\}|(\\?[^\s{}\\]))")
_RAISED = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
_GROUP = re.compile(r"(?<!\\)[{}]")
_TIE = re.compile(r"(?<=[\w.)])~(?=[\w\\($])")

_STRONG = re.compile(
    r"(?<![\w*\\])\*\*(?=\S)((?:(?!\*\*).){1,400}?)(?<=\S)\*\*(?![\w*])", re.DOTALL
)
_EMPHASIS = re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*\n]*?[^\s*])\*(?![\w*])")
_UNDERLINE = re.compile(r"(?<![\w\\])(_{1,2})(?=[^\s_])([^_\n]*?[^\s_])\1(?!\w)")
_CODE = re.compile(r"(?<!`)`(?=[^\s`'])([^`'\n]*?[^\s`'])`(?!`)")
_LINK = re.compile(r"(?<!!)\[([^\[\]]+)\]\((https?://[^\s()]+)\)")
_QUOTED = re.compile(r"``((?:(?!``).){1,400}?)''", re.DOTALL)
_QUOTED_ONCE = re.compile(r"(?<![\w`])`([^`'\n]+)'(?!\w)")


def clean(text: str) -> str:
    """Return readable plain text: marks of LaTeX, Markdown and HTML gone, glyphs made plain.

    Inequalities, prices and unknown macros survive, so that no word of the source is lost.
    """
    text = unicodedata.normalize("NFC", strip_tags(text))
    text = _join_lines(_SOFT.sub("", text))
    text = _VARIANT.sub(lambda m: unicodedata.normalize("NFKC", m[0]), text)
    text = _strip_latex(_strip_math(text)) if "\\" in text or "$" in text or "{" in text else text
    text = _strip_markdown(text.translate(_HYPHENS))
    return " ".join(text.split())


def readable(text: str, *, markdown: bool = False) -> str:
    """Return `text` to show: LaTeX (and Markdown, if asked) read as meant, all else as written."""
    if "\\" in text or _MATH.search(text):
        text = _strip_latex(_strip_math(text))
    return _strip_markdown(text) if markdown else text


def formulas(text: str) -> list[tuple[int, int, str]]:
    """Return where formulas stand in `text`, end exclusive, and their LaTeX, in order."""
    found: list[tuple[int, int, str]] = []
    at = 0
    for display in [*_DISPLAY.finditer(text), None]:
        end = display.start() if display else len(text)
        found += [(*inline.span(), inline[1]) for inline in _MATH.finditer(text, at, end)]
        if display:
            found.append((*display.span(), display[1] or display[2] or display[3]))
            at = display.end()
    return found


def strip_tags(text: str) -> str:
    """Return `text` without known HTML and JATS tags, its entities as characters."""
    if "<" in text:
        text = _BLOCK.sub(" ", _TAG.sub("", text))
    return html.unescape(text) if "&" in text else text


def _join_lines(text: str) -> str:
    """Undo hyphenation at line ends; a compound such as state-of-the-art keeps its hyphen."""
    if "\n" not in text:
        return text
    return _BROKEN_COMPOUND.sub(r"\1\2", _BROKEN.sub(r"\1\2", text))


def _strip_math(text: str) -> str:
    """Replace formulas by readable ones, such as 256×256."""
    text = _DISPLAY.sub(lambda m: _formula(m[1] or m[2] or m[3]), text)
    return _MATH.sub(lambda m: _formula(m[1]), text)


def _formula(source: str) -> str:
    source = _FRACTION.sub(r"(\1)/(\2)", _unwrap(_DROP.sub("", source)))
    source = _ROOT.sub(r"√(\1)", _unwrap(source))
    source = _FRACTION.sub(r"(\1)/(\2)", source)
    source = _MACRO.sub(_symbol, source)
    source = _SCRIPT.sub(_script, source)
    source = _LONE_ROOT.sub(r"√\1", source)
    source = _LONE_PARTS.sub(r"\1/\2", source)
    source = _ESCAPED.sub(lambda m: " " if m[1] in _SPACE_LIKE else m[1], source)
    source = _GROUP.sub("", source)
    return re.sub(r"\s*([×·])\s*", r"\1", source)


def _script(match: re.Match[str]) -> str:
    body = match[2] if match[2] is not None else match[3]
    if match[1] == "^" and re.fullmatch(r"[0-9+\-n]+", body):
        return body.translate(_RAISED)
    return match[1] + body


def _symbol(match: re.Match[str]) -> str:
    return _SYMBOLS.get(match[1], match[0])


def _unwrap(text: str) -> str:
    """Drop macros that only change the look, from the innermost outwards."""
    for _ in range(4):
        shorter = _WRAPPED.sub(r"\1", text)
        if shorter == text:
            return text
        text = shorter
    return text


def _strip_latex(text: str) -> str:
    text = _CITE.sub("", text)
    text = _LETTER.sub(lambda m: _LETTERS[m[1]], _ACCENT.sub(_accent, text))
    text = _HREF.sub(r"\2", _unwrap(text))
    text = _DROP.sub("", text)
    text = _TIE.sub(" ", _MACRO.sub(_symbol, text))
    text = _ESCAPED.sub(lambda m: " " if m[1] in _SPACE_LIKE - {"~"} else m[1], text)
    text = _GROUP.sub("", text)
    return unicodedata.normalize("NFC", text.replace("---", "—").replace("--", "–"))


def _accent(match: re.Match[str]) -> str:
    mark = _ACCENTS[match[1] or match[2]]
    letter = (match[3] or match[4]).lstrip("\\")
    close = match[5] or "" if not match[0].startswith("{") else ""
    lost = "}" if match[0].startswith("{") and not match[5] else ""
    return ("{" if lost else "") + unicodedata.normalize("NFC", letter + mark) + close


def _strip_markdown(text: str) -> str:
    text = _QUOTED_ONCE.sub("‘\\1’", _QUOTED.sub("“\\1”", text))
    text = _LINK.sub(r"\1 (\2)", text)
    text = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))
    return _CODE.sub(r"\1", _UNDERLINE.sub(r"\2", text))


# ---------------------------------------------------------------- matching

_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_MARKS = re.compile("[\u0300-\u036f]")
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ß": "ss"})
_WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
_VOWEL = re.compile("[aeiouy]")
_STEMMER = snowballstemmer.stemmer("english")


def fold(text: str) -> str:
    """Return `text` for matching: lower case, compatible forms, no accents, one hyphen."""
    text = unicodedata.normalize("NFKD", _DASHES.sub("-", text)).casefold()
    return unicodedata.normalize("NFC", _MARKS.sub("", text)).translate(_PLAIN)


def words(text: str) -> list[str]:
    """Return the folded words of cleaned `text`; compounds in parts, decimals whole."""
    return _WORD.findall(fold(clean(text)))


def stems(text: str) -> list[str]:
    """Return the English stems of `words(text)`, in order."""
    return [_stem(word) for word in words(text)]


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    if len(word) > 2 and word.endswith("s") and not _VOWEL.search(word):
        return word[:-1]
    stem: str = _STEMMER.stemWord(word)
    return stem


# ---------------------------------------------------------------- acronyms

_ACRONYM = re.compile(r"\b([A-Z]{3,5})(?=s?\b)")
_BETWEEN = frozenset(
    "a an the of in on for to with by and or from at as is are was were be been that this which "
    "who these those it its our their we they has have had do does did can could may might will "
    "would should not no nor than then when where while how what why via between among into over "
    "under after before during per both each such more most less least any all use used uses "
    "using".split()
)
_SHORTEST, _LONGEST = 3, 5
_TOKEN = re.compile(r"[^\W_]+|[^\w\s-]")


def acronyms(text: str) -> list[str]:
    """Return the words of three to five capitals in `text`, folded, without a plural s."""
    return [fold(word) for word in _ACRONYM.findall(clean(text))]


def spelled_out(text: str) -> dict[str, tuple[str, ...]]:
    """Return the runs of three to five words that an acronym may stand for, by initials.

    No function word, number or mark stands within a run.
    """
    found: dict[str, tuple[str, ...]] = {}
    run: list[str] = []
    for word in _TOKEN.findall(fold(clean(text))):
        run = [*run[1 - _LONGEST :], word] if word.isalpha() and word not in _BETWEEN else []
        for length in range(_SHORTEST, len(run) + 1):
            words = tuple(run[-length:])
            found.setdefault("".join(word[0] for word in words), words)
    return found


# ---------------------------------------------------------------- sentences

_CLOSERS = "\"'”’»)\\]}*_`$"
_END = re.compile(
    rf"(?P<mark>[.!?…]+)(?:[{_CLOSERS}]+[.!?]*)?(?=\s|$)|[。！？]+[”’」』）]*|\n[ \t\r]*\n"
)
_LOOK_BACK = 200
_TOKEN_BEFORE = re.compile(r"[^\s(\[{“\"‘'`—]*$")
_ABBREVIATIONS = frozenset(
    "e.g i.e eg ie cf vs viz resp approx ca fig figs eq eqs sec secs sect ref refs tab tabs thm "
    "thms def defs prop lem cor alg app ch chap vol no nos pp ed eds dr prof mr mrs ms st jr sr "
    "al w.r.t w.l.o.g s.t i.i.d a.k.a incl esp est dept univ inc ltd co corp p.m a.m spp sp "
    "subsp var".split()
)
_BREAKABLE = frozenset("al i.i.d a.k.a inc ltd co corp p.m a.m sp spp no app cor def".split())
_STARTERS = frozenset(
    "we the this these those our in it its they there here however moreover furthermore "
    "additionally finally to by for as on with while when although though if our here then thus "
    "hence therefore a an each both all such unlike unfortunately specifically first second "
    "third experiments results using given at from after before because since despite".split()
)
_OPENERS = "\"'“‘«([{*_`$\\"


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) code point offsets of the sentences of `text`, in order.

    Sentences do not overlap, are not empty, and have no white space at their ends.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if _ends_sentence(text, start, match):
            _append(spans, text, start, match.end())
            start = match.end()
    _append(spans, text, start, len(text))
    return spans


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    if piece.strip():
        spans.append((start + left, start + len(piece.rstrip())))


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    mark = match["mark"]
    rest = text[match.end() :].lstrip() if len(text) < 4000 else _rest(text, match.end())
    if mark is None or not rest:
        return True
    following = rest.lstrip(_OPENERS)
    word = re.match(r"\\?[a-z]*\{?([\w-]*)", following) if rest[0] == "\\" else None
    token = word[1] if word else re.match(r"[^\s]*", following)[0]  # type: ignore[index]
    if mark == "." and match.end("mark") - match.start() == 1:
        said = text[max(start, match.start() - _LOOK_BACK) : match.start()]
        before = _TOKEN_BEFORE.search(said)
        if before and _holds_on(before[0].strip(_CLOSERS), token, said):
            return False
    return _opens(token, rest)


def _rest(text: str, end: int) -> str:
    return text[end : end + 200].lstrip()


def _opens(token: str, rest: str) -> bool:
    """Whether a sentence can start so: not with a plain lower-case word or a comma."""
    if not token:
        return rest[0] in _OPENERS
    first = token[0]
    if first.islower():
        return any(c.isupper() or c.isdigit() for c in token.rstrip(".,;:")) or token[1:2] == "-"
    return first.isalnum() or first in "#@+-–—≥≤<>"


def _holds_on(before: str, token: str, sentence: str) -> bool:
    """Whether the full stop after `before` belongs to an abbreviation, initial or list mark."""
    word = before.lower()
    starter = token.strip(".,;:").lower() in _STARTERS
    if word in _ABBREVIATIONS:
        return not (word in _BREAKABLE and starter)
    if re.fullmatch(r"\d{1,2}|[ivx]{1,4}|[a-zA-Z]", before) and sentence.strip() == before:
        return True
    if re.fullmatch(r"(?:[A-Za-z]\.)*[A-Z]", before):
        return not starter
    return False
