"""The corpora that a checkpoint was trained on, for the programs that count rare words in them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nmt.cli.evaluate import Inputs, data_of
from nmt.cli.output import messages_on, print_stderr
from nmt.errors import UserError

if TYPE_CHECKING:
    from nmt.config.settings import DataConfig
    from nmt.data.pair import Split


@dataclass(frozen=True)
class Training:
    """Corpora of training pairs, and where they come from in the words of the settings."""

    corpora: list[Split]
    origin: str


def training_of(inputs: Inputs, given: Mapping[str, Any], allow: Sequence[str]) -> Training | None:
    """Return the corpora that the checkpoint was trained on (also `data.more`), before any pairs were dropped.

    If they cannot be read, the training pairs of the `given` data settings take their place, as in a copy of the corpus
    under data.path; if there are none either, the result is None. A warning reports both cases.
    """
    from nmt.build import build_more, build_source
    from nmt.data.corpus import load_corpus, load_more, origin

    def read(data: DataConfig) -> Training:
        source = build_source(data, allow=allow)
        corpora = [load_corpus(source, data, ("train",))["train"]]
        corpora += [each.split for each in load_more(build_more(data), data).values()]
        return Training(corpora, origin(source, data))

    with messages_on(sys.stderr):
        try:
            return read(data_of(inputs.loaded, {}))
        except UserError as error:
            reason = f"warning: the training pairs of this model cannot be read ({problem(error)})"
        try:
            found = read(replace(data_of(inputs.loaded, given), limit=None, more=None))
        except UserError as error:
            also = f", nor other ones ({problem(error)})" if given else ""
            print_stderr(f"{reason}{also}; rare words are left out")
            return None
    print_stderr(f"{reason}; words are counted in those of {found.origin}")
    return found


def problem(error: UserError) -> str:
    """Return the problem without the advice after it."""
    return str(error).partition("; ")[0]
