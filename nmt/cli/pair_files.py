"""The source file and the target file that a command line names, and the columns that they are read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nmt.data.sources.base import Pairs

Languages = tuple[str, str]  # the codes of the source and the target language


def columns(languages: Languages | None) -> Languages:
    """Return the columns of source and target in JSON Lines and TSV: the languages of the model, if it knows them."""
    return languages or ("source", "target")


def read_pair_files(source: str, target: str, languages: Languages | None) -> Pairs:
    """Return the pairs of two files, which may be one file of JSON Lines or TSV. Reading them raises UserError."""
    from nmt.data.sources.files import file_spec, read_pairs

    names = columns(languages)
    remedy = f"expected the sources as '{names[0]}' and the translations as '{names[1]}'"
    return read_pairs(file_spec([source, target], "source"), *names, remedy=remedy)
