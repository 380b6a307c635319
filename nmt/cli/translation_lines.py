"""The lines that translate.py writes: one for each source, as plain text or as JSON."""

from __future__ import annotations

import io
import itertools
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from nmt.attention_map import AttentionMap
from nmt.cli.output import messages_on, new_file, print_stderr
from nmt.data.progress import PassProgress, clock
from nmt.errors import UserError, counted
from nmt.system.atomic import replacing_or_packing, try_lock
from nmt.system.lines import as_line
from nmt.text.protect import Segment
from nmt.translation.base import BaseTranslator
from nmt.translation.doubts import Tally
from nmt.translation.translation import Translation

CHUNK = 1024  # lines translated together: enough for batches of similar length; a kill loses at most these
DECIMALS = 6
DIGITS = 7  # significant digits of a score, because a high length penalty makes it very small
MAPS_AT_ONCE = 16  # attention maps in memory; one of a long sentence and a large model has millions of weights


class LineTranslator:
    """Translates sentences into lines of output."""

    def __init__(self, translator: BaseTranslator, *, jsonl: bool = False, with_attention: bool = False) -> None:
        """Take the form of the lines: text, or JSON if `jsonl`. Raises UserError for a model without attention."""
        self.translator = translator
        self.jsonl = jsonl
        self.with_attention = with_attention
        self._tally = Tally()
        if with_attention:
            translator.attention_maps([])

    def lines(self, sentences: Sequence[str], places: Sequence[str], *, prefix: str = "") -> Iterator[str]:
        """Yield a line for each sentence, with its line end. `places` name the sentences in warnings.

        Every translation begins with `prefix`.
        """
        found = self.translations(sentences, places, prefix=prefix)
        maps = None
        if self.with_attention:
            parts = [part for best, *_ in found for part in best.parts or (best,) if part.tokens]
            some = (parts[start : start + MAPS_AT_ONCE] for start in range(0, len(parts), MAPS_AT_ONCE))
            maps = itertools.chain.from_iterable(map(self.translator.attention_maps, some))
        for hypotheses in found:
            if self.jsonl:
                whole = record(hypotheses, maps, self.translator.languages)
                yield json.dumps(whole, ensure_ascii=False) + "\n"
            else:
                yield as_line(hypotheses[0].text) + "\n"

    def translations(
        self,
        sentences: Sequence[str | Segment],
        places: Sequence[str],
        *,
        prefix: str = "",
        advance: Callable[[int], object] = lambda count: None,
    ) -> list[list[Translation]]:
        """Return the translations of each sentence, best first. The arguments are as in `lines` and `hypotheses`."""
        found = self.translator.hypotheses(sentences, prefixes=[prefix] * len(sentences), advance=advance)
        for (best, *_), place in zip(found, places, strict=True):
            self._tally.add(best, place)
        return found

    def close(self) -> None:
        """Print how many translations have a problem, and where the first ones are."""
        for line in self._tally.lines(self.translator.source_limit()):
            print_stderr(f"warning: {line}")


def record(
    found: Sequence[Translation], maps: Iterator[AttentionMap] | None = None, languages: tuple[str, str] | None = None
) -> dict[str, Any]:
    """Return the JSON object of one source, as docs/translating.md describes it. `found` are its translations.

    `maps` yields the attention map of each best translation; for a source that was split, it yields one for each part.
    An empty source has the text "", no pieces, no map (null) and the score 0.
    """
    best = found[0]
    plain = {"source": best.source, **_plain(best)}
    if languages is not None:
        plain["translation"] = dict(zip(languages, (best.source, plain["text"]), strict=True))
    if len(found) > 1:
        plain["n_best"] = [_plain(each) for each in found]
    if best.parts:
        plain["parts"] = [record([part], maps) for part in best.parts]
    elif maps is not None:
        plain["attention"] = next(maps).to_plain() if best.tokens else None
    return plain


def _plain(translation: Translation) -> dict[str, Any]:
    return {
        "text": as_line(translation.text),
        "log_prob": round(translation.log_prob, DECIMALS),
        "score": float(f"{translation.score:.{DIGITS}g}"),
        "cut": translation.cut,
        "doubts": translation.doubts,
        "lost_spans": [slot.text for slot in translation.lost],
        "pieces": translation.pieces,
        "token_log_probs": [round(value, DECIMALS) for value in translation.token_log_probs],
    }


# A file


def translate_file(
    line_translator: LineTranslator,
    name: str,
    lines: Callable[..., Iterator[tuple[int, str]]],
    output: Path | None,
    stdout: TextIO,
) -> None:
    """Translate each line of a file to `output`, or to `stdout` if `output` is None, and print the speed.

    `lines` is `nmt.data.sources.files.read_texts` for the file called `name`. The file is read twice, so a line that
    cannot be translated is found at the beginning.
    """
    total = 0
    for number, line in lines():
        line_translator.translator.check_source(line, f"{name}:{number}")
        total += 1
    written = nullcontext((stdout, 0)) if output is None else unfinished(output, total)
    with messages_on(sys.stderr), written as (file, done):
        started, rest = time.monotonic(), itertools.islice(lines(), done, None)
        quiet = output is None and stdout.isatty()
        with PassProgress("translating", total, unit="lines", done=done, stderr=True, quiet=quiet) as progress:
            while chunk := list(itertools.islice(rest, CHUNK)):
                places = [f"{name}:{number}" for number, _ in chunk]
                file.writelines(line_translator.lines([text for _, text in chunk], places))
                file.flush()
                progress.advance(len(chunk))
        line_translator.close()
        seconds, count = max(time.monotonic() - started, 1e-9), total - done  # a coarse clock may not have moved
        print_stderr(f"translated {counted(count, 'line')} in {clock(seconds)}, {count / seconds:,.1f} lines/s")


@contextmanager
def unfinished(output: Path, total: int) -> Iterator[tuple[TextIO, int]]:
    """Yield the file `output`.partial, open at its end, and how many of the `total` lines are already in it.

    Only complete chunks of lines are kept. At the end of the block, the file becomes `output`. After an exception or a
    kill, the next call goes on. Raises UserError if `output` exists, is being written, or has more than `total` lines.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f"{output.name}.partial")
    with partial.open("a+b") as binary, io.TextIOWrapper(binary, encoding="utf-8", newline="\n") as file:
        if not try_lock(binary):
            raise UserError(f"output={output}: another process is writing it; wait for it, or give another name")
        new_file(str(output))
        if done := _keep_whole_chunks(binary):
            print_stderr(f"{partial}: goes on after line {done:,} of {total:,}; remove this file to begin anew")
        if done > total:
            raise UserError(f"{partial}: more lines than the input has; remove this file, or give another output=")
        try:
            yield file, done
        except KeyboardInterrupt:
            print_stderr(f"stopped; the same command goes on after the lines in {partial}")
            raise
        file.flush()
        binary.seek(0)
        new_file(str(output))
        with replacing_or_packing(output) as whole:
            shutil.copyfileobj(binary, whole)
        partial.unlink()


def _keep_whole_chunks(file: BinaryIO) -> int:
    """Remove the lines after the last complete chunk, and return the number of lines that stay."""
    file.seek(0)
    kept = end = position = 0
    for number, line in enumerate(file, start=1):
        position += len(line)
        if number % CHUNK == 0 and line.endswith(b"\n"):
            kept, end = number, position
    file.truncate(end)
    return kept
