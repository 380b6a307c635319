"""Subtitles: SubRip (.srt) and WebVTT (.vtt). webvtt-py finds the captions, and only their words change.

The lines of a caption are translated as sentences, and broken again into as many lines. A line with a dash or a note
(♪) in front is a text of its own. A sentence may go on in the next caption: two captions are translated together if
the first one ends without a full stop or the like, the second one begins with a small letter, and no tags are inside.
"""

from __future__ import annotations

import html
import io
import re
from functools import partial

import regex
import webvtt
from webvtt.errors import MalformedCaptionError, MalformedFileError

from nmt.deploy.documents.base import LINE_BREAK, SEPARATES, Document, Form, Tag
from nmt.errors import UserError
from nmt.text.protect import Spans
from nmt.text.terms import NO_TERMS, Terms

_TURN = r"[-\u2010-\u2015♪♫](?!\d)\s*"
_TAG = r"</?[A-Za-z][^<>\n]*>|<[\d:.]+>|\{\\[^{}\n]*\}"
_WHOLE = regex.compile(rf"((?:{_TAG}|{_TURN}|\s)*)(.*?)((?:{_TAG}|[♪♫]|\s)*)", regex.DOTALL)
_MARK = regex.compile(rf"(\s*\n\s*(?:{_TURN})?|(?:^|(?<=\}})){_TURN}|{_TAG})")
_OPEN = regex.compile(r"[\p{L}\p{N},]['\u2019]?\Z")  # the end of a caption whose sentence goes on
MOST_CAPTIONS = 3  # that are translated together; without a limit, a film without full stops would be one sentence


def subtitles(text: str, where: str, spans: Spans, terms: Terms = NO_TERMS) -> Document:
    """Return subtitles whose texts are translated by a model with these spans, and with the `terms` of a glossary.

    Messages call them `where`. Raises UserError for a file without captions.
    """
    is_vtt = text.startswith("WEBVTT")
    try:
        captions = webvtt.from_buffer(io.StringIO(text.lstrip()), format="vtt" if is_vtt else "srt").captions
    except (MalformedFileError, MalformedCaptionError) as error:
        raise UserError(f"{where}: no subtitles ({error}); format=paragraphs reads it as a text") from error
    pieces, done, joined = list[str | Tag](), 0, 1
    last = tail = before = ""
    for caption in captions:
        words = r"\s+".join(re.escape(line.strip()) for line in caption.lines if line.strip())
        match = re.compile(rf"-->.*(?:\n\s*|\Z)({words})").search(text, done)
        assert match is not None  # the lines of a caption are those of the file
        lead, inner, trail = _WHOLE.fullmatch(match[1]).groups()
        if regex.search(_TAG, inner):
            lead, inner, trail = "", match[1], ""
        alone = regex.search(_TAG, inner + last) or regex.search(_TURN, tail + lead) or lead not in ("", before)
        goes_on = inner[:1].islower() and _OPEN.search(last) and not alone
        joined = joined + 1 if goes_on and joined < MOST_CAPTIONS else 1
        pieces.append(Tag(LINE_BREAK if joined > 1 else SEPARATES, markup=tail + text[done : match.start(1)] + lead))
        for number, part in enumerate(_MARK.split(inner)):
            name = regex.match("</?[A-Za-z]+", part)
            if number % 2:
                pieces.append(Tag(LINE_BREAK if part.isspace() else f"{name[0]}>" if name else SEPARATES, markup=part))
            else:
                pieces.append(html.unescape(part) if is_vtt else part)
        done, last, tail, before = match.end(1), inner, trail, lead
    pieces.append(Tag(SEPARATES, markup=tail + text[done:]))
    return Form(spans, terms, partial(html.escape, quote=False) if is_vtt else str).document(pieces)
