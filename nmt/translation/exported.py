"""Opens a folder that export.py wrote: its export.json names the class that translates with the folder's files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

from nmt.checkpoint import ConfigFile
from nmt.config.nodes import instantiate
from nmt.config.schema import Count, read_json
from nmt.errors import UserError
from nmt.parameters import PositiveInt, Range
from nmt.search.base import Search
from nmt.system.run_files import EXPORTED, inside
from nmt.translation.base import BaseTranslator
from nmt.translation.loading import chosen_search

VERSION = 2  # of export.json
TRANSLATORS = ("nmt.deploy.export",)  # the package of the classes that translate
REMEDY = "export the model again"


class ManifestFile(TypedDict):
    """The content of `export.json`, which says what an exported folder holds.

    `translator` is the node of the class that translates with the files, null if another program does. `files` has the
    digest of each file.
    """

    nmt_export: Annotated[int, Range(low=VERSION, high=VERSION)]
    format: dict[str, Any]
    translator: dict[str, Any] | None
    config: ConfigFile
    search: dict[str, Any]
    source_limit: PositiveInt
    target_limit: PositiveInt
    update: Count
    scores: dict[str, Any]
    files: dict[str, str]


@dataclass(frozen=True)
class ExportedModel:
    """An exported model on disk: the config of its run, and its export.json."""

    config: Mapping[str, Any]
    path: Path


def load_exported(
    folder: str | Path,
    *,
    device: str = "auto",
    search: Search | Mapping[str, Any] | None = None,
    allow: Sequence[str] = (),
    **fields: Any,
) -> tuple[BaseTranslator, ExportedModel]:
    """Return the translator of an exported folder, and what the folder says of the model.

    The other arguments are as in `nmt.translation.loading.load_translator`. Raises UserError for a folder that is
    damaged, for one that another program translates with, and for a search that the translator does not have.
    """
    folder = Path(os.path.expanduser(folder))
    manifest = read_manifest(folder)
    node = manifest["translator"]
    if node is None:
        kind = manifest["format"].get("name")
        raise UserError(
            f"ckpt={folder}: written with format={kind} for another program; name its run, or export that with "
            "format=ctranslate2"
        )
    translator: BaseTranslator = instantiate(
        node,
        "translator",
        within=TRANSLATORS,
        folder=folder,
        manifest=manifest,
        device=device,
        search=chosen_search(manifest["search"], search, allow=allow, **fields),
    )
    return translator, ExportedModel(manifest["config"], folder / EXPORTED)


def read_manifest(folder: Path) -> ManifestFile:
    """Return the manifest of an exported folder. Raises UserError if it or one of its files is missing or damaged."""
    manifest = read_json(folder / EXPORTED, ManifestFile, remedy=REMEDY)
    for name, expected in manifest["files"].items():
        path = inside(folder, name)
        if not path.is_file() or digest(path) != expected:
            raise UserError(f"{path}: missing or damaged; {REMEDY}")
    return manifest


def digest(path: Path) -> str:
    """Return the SHA-256 digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
