"""Read XML: arXiv Atom feeds and PubMed article sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from rag.corpus.readers.fields import Place, build, one_line
from rag.types import Record, Skip

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"


def fits(text: str) -> bool:
    """Whether the text starts like XML."""
    return text.lstrip()[:5] == "<?xml" or text.lstrip()[:6] in ("<feed ", "<PubMe")


def read(text: str, file: str) -> Iterator[Record | Skip]:
    """Yield a record for each entry of a feed, or each article of a set."""
    from defusedxml import ElementTree
    from defusedxml.common import DefusedXmlException

    body = text.lstrip()
    if body.startswith("<?xml"):
        body = body.partition("?>")[2]
    try:
        root = ElementTree.fromstring(body)
    except (ParseError, DefusedXmlException, ValueError) as error:
        yield Skip(file, "file", f"not valid XML: {error}")
        return
    if root.tag == f"{_ATOM}feed":
        yield from _numbered(file, root.findall(f"{_ATOM}entry"), atom=True)
    elif root.tag in ("PubmedArticleSet", "PubmedArticle", "PubmedBookArticle"):
        articles = [root] if root.tag == "PubmedArticle" else root.findall("PubmedArticle")
        yield from _numbered(file, articles, atom=False)
    else:
        yield Skip(file, "file", f"XML of a kind that is not known: {root.tag[:60]}")


def _numbered(file: str, elements: list[Element], *, atom: bool) -> Iterator[Record | Skip]:
    for number, element in enumerate(elements, 1):
        place = Place(file, f"record {number}")
        yield (_atom if atom else _pubmed)(place, element)


def _text(element: Element | None) -> str:
    return "".join(element.itertext()).strip() if element is not None else ""


def _atom(place: Place, entry: Element) -> Record | Skip:
    address = _text(entry.find(f"{_ATOM}id"))
    if "/errors" in address:
        return place.skip(f"an error of the service: {_text(entry.find(f'{_ATOM}summary'))}")
    return build(
        place,
        {
            "title": _text(entry.find(f"{_ATOM}title")),
            "text": _text(entry.find(f"{_ATOM}summary")),
            "authors": [_text(a.find(f"{_ATOM}name")) for a in entry.findall(f"{_ATOM}author")],
            "year": _text(entry.find(f"{_ATOM}published")) or _text(entry.find(f"{_ATOM}updated")),
            "venue": _text(entry.find(f"{_ARXIV}journal_ref")),
            "doi": _text(entry.find(f"{_ARXIV}doi")),
            "arxiv": address,
            "url": address,
            "source_id": address.rpartition("/abs/")[2],
        },
    )


def _pubmed(place: Place, element: Element) -> Record | Skip:
    article = element.find("MedlineCitation/Article")
    if article is None:
        return place.skip("no article in it")
    parts = article.findall("Abstract/AbstractText")
    doi = next(
        (_text(i) for i in [*article.findall("ELocationID[@EIdType='doi']"),
                            *element.findall("PubmedData/ArticleIdList/ArticleId[@IdType='doi']")]),
        None,
    )  # fmt: skip
    return build(
        place,
        {
            "title": _text(article.find("ArticleTitle")),
            "text": " ".join(_labelled(part) for part in parts),
            "authors": [_author(a) for a in article.findall("AuthorList/Author")],
            "year": _text(article.find("Journal/JournalIssue/PubDate"))
            or _text(article.find("ArticleDate/Year")),
            "venue": one_line(_text(article.find("Journal/Title"))),
            "doi": doi,
            "source_id": _text(element.find("MedlineCitation/PMID")),
        },
    )


def _labelled(part: Element) -> str:
    label, text = part.get("Label"), " ".join(_text(part).split())
    return f"{label}: {text}" if label and label.upper() != "UNLABELLED" else text


def _author(author: Element) -> str:
    names = [_text(author.find(tag)) for tag in ("ForeName", "LastName", "CollectiveName")]
    return " ".join(filter(None, names))
