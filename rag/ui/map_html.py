"""Draws the Map tab: data for the picture, and the same papers as lists for the keyboard."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from rag.text import readable
from rag.types import Paper
from rag.ui.layout import Layout
from rag.ui.markup import escape, shown
from rag.ui.source_html import paper_button

_TITLE_LENGTH = 90
_LISTED = 30
WAITING = '<p class="stage" role="status"><span class="pulse"></span>Drawing the map…</p>'


def map_html(layout: Layout, hits: Collection[str]) -> str:
    """The picture of a library; `hits` are the papers that the last answer names."""
    if not layout.papers:
        return '<p class="hint">The map is empty as long as the library is.</p>'
    data = escape(json.dumps(_data(layout, hits), separators=(",", ":")))
    return (
        '<div class="map-bar"><label>Coloured by <select class="field" data-map="colour">'
        '<option value="topic">topic</option><option value="list">list</option></select></label>'
        '<label><input type="checkbox" data-map="select"> Select papers by clicking</label>'
        '<span class="acts"><button type="button" class="plain" data-map="closer" '
        'aria-label="Closer">+</button><button type="button" class="plain" data-map="farther" '
        'aria-label="Farther">−</button>'
        '<button type="button" class="plain" data-map="reset">Whole map</button></span></div>'
        f'<div class="map-frame"><canvas id="map-canvas" role="img" data-points="{data}" '
        f'aria-label="Map of {len(layout.papers):,} papers; the lists below hold the same papers">'
        '</canvas><div class="map-tip" hidden></div></div>'
        '<form data-on="act" class="map-chosen" hidden><span></span>'
        '<input type="hidden" name="paper"><button type="submit" class="plain" name="do" '
        'value="ask">Ask these</button><button type="submit" class="plain" name="do" '
        'value="compare">Compare</button><button type="button" class="link" data-map="clear">'
        "Choose none</button></form>"
        '<button type="button" data-on="paper" data-paper="" hidden></button>'
        f"{_lists(layout)}"
    )


def _data(layout: Layout, hits: Collection[str]) -> dict[str, object]:
    lists = list(dict.fromkeys(_list_of(paper) for paper in layout.papers))
    where = {name: index for index, name in enumerate(lists)}
    return {
        "topics": list(layout.names),
        "lists": lists,
        "points": [
            [
                round(float(x), 4),
                round(float(y), 4),
                topic,
                where[_list_of(paper)],
                paper.paper_id,
                readable(paper.title)[:_TITLE_LENGTH],
                int(paper.paper_id in hits),
            ]
            for paper, (x, y), topic in zip(
                layout.papers, layout.places, layout.topics, strict=True
            )
        ],
    }


def _list_of(paper: Paper) -> str:
    source = paper.sources[0]
    return source.collection or source.file


def _lists(layout: Layout) -> str:
    grouped: dict[int, list[Paper]] = {}
    for paper, topic in zip(layout.papers, layout.topics, strict=True):
        grouped.setdefault(topic, []).append(paper)
    drawn = "".join(
        _topic(layout.names[topic], papers) for topic, papers in sorted(grouped.items())
    )
    return f'<section class="map-lists"><h3>The same papers by topic</h3>{drawn}</section>'


def _topic(name: str, papers: Sequence[Paper]) -> str:
    items = "".join(f"<li>{paper_button(paper)}</li>" for paper in papers[:_LISTED])
    rest = len(papers) - _LISTED
    more = f'<li class="hint">and {rest:,} more, in the Library tab</li>' if rest > 0 else ""
    return (
        f'<details class="fold"><summary>{shown(name)} ({len(papers):,})</summary>'
        f"<ul>{items}{more}</ul></details>"
    )
