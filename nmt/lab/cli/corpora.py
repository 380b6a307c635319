"""The training pairs of a checkpoint, to count rare words in."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nmt.cli.evaluate import Inputs, data_of
from nmt.cli.output import messages_on, print_stderr
from nmt.data.pair import Split
from nmt.data.sources.base import swapped
from nmt.errors import UserError

if TYPE_CHECKING:
    from nmt.config.settings import DataConfig


@dataclass(frozen=True)
class Training:
    """Corpora of training pairs, and where they come from in the words of the settings."""

    corpora: list[Split]
    origin: str


def training_of(inputs: Inputs, given: Mapping[str, Any], allow: Sequence[str]) -> Training | None:
    """Return the corpora that the checkpoint was trained on (also `data.more`), before any pairs were dropped.

    If a model of both directions translates the other way, their sides are exchanged. If they cannot be read, or are in
    other languages, the training pairs of the `given` data settings take their place, as in a copy of the corpus under
    data.path; if there are none either, the result is None. A warning reports both cases.
    """
    from nmt.build import build_more, build_source
    from nmt.data.corpus import load_corpus, load_more, origin

    def read(data: DataConfig) -> Training:
        source = build_source(data, allow=allow)
        corpora = [load_corpus(source, data, ("train",))["train"]]
        corpora += load_more(build_more(data), data).values()
        return Training(corpora, origin(source, data))

    own, used = data_of(inputs.loaded, {}), data_of(inputs.loaded, given)
    with messages_on(sys.stderr):
        try:
            if (own.source_lang, own.target_lang) == (used.target_lang, used.source_lang):
                return _swapped(read(own))
            if (own.source_lang, own.target_lang) != (used.source_lang, used.target_lang):
                raise UserError(f"they are {own.source_lang} to {own.target_lang}")
            return read(own)
        except UserError as error:
            reason = f"warning: the training pairs of this model cannot be used ({problem(error)})"
        try:
            found = read(replace(used, limit=None, more=None))
        except UserError as error:
            also = f", nor other ones ({problem(error)})" if given else ""
            print_stderr(f"{reason}{also}; rare words are left out")
            return None
    print_stderr(f"{reason}; words are counted in those of {found.origin}")
    return found


def _swapped(training: Training) -> Training:
    return replace(training, corpora=[Split.of(swapped(each)) for each in training.corpora])


def problem(error: UserError) -> str:
    """Return the problem without the advice after it."""
    return str(error).partition("; ")[0]
