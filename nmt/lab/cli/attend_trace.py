"""The part of `scripts/attend.py` that explains one position of a translation: `trace=`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nmt.errors import UserError
from nmt.lab.cli.attend_settings import AttendConfig
from nmt.system.atomic import write_atomically
from nmt.system.lines import as_line

if TYPE_CHECKING:
    from nmt.translation.base import BaseTranslator
    from nmt.translation.translation import Translation

PAGE, JSON = "trace.html", "trace.json"


def explain(
    translator: BaseTranslator, translations: Sequence[Translation], config: AttendConfig, folder: Path | None
) -> None:
    """Print how a position was computed, and write the page and the JSON if a folder is given.

    Raises UserError for a position, layer or head that does not exist, and for a source that was split.
    """
    from nmt.build import build_views
    from nmt.cli.table import terminal_width
    from nmt.lab.attention.caption import details
    from nmt.lab.trace.page import trace_page
    from nmt.lab.trace.terminal import lines
    from nmt.lab.trace.trace import trace_position
    from nmt.translation.translator import Translator

    assert isinstance(translator, Translator) and config.trace is not None
    assert config.kind in ("cross", "decoder_self")
    if len(translations) > 1:
        raise UserError(
            f"text: it was translated in {len(translations)} parts, but a trace explains one piece of one translation; "
            "give one of the parts"
        )
    views = list(build_views(config.views, allow=config.allow).values())
    trace = trace_position(translator, translations[0], config.trace, views, kind=config.kind)
    chosen = {"layer": config.layer, "head": config.head}
    text = list(lines(trace, terminal_width(), **chosen))
    print(f"source:      {as_line(trace.attention.source)}\ntranslation: {as_line(trace.attention.target)}")
    print("\n".join([details(trace.attention.origin), *text]))
    sys.stdout.flush()
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in ((PAGE, trace_page(trace, **chosen)), (JSON, trace.to_json(**chosen))):
        write_atomically(folder / name, content.encode())
        print(f"written to {folder / name}")
