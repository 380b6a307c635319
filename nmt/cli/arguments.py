"""The command lines of `evaluate` and `translate`, made ready for `nmt.config.compose`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from nmt.errors import UserError

PATHS = ("ckpt", "out", "attention", "data.path")


def wants_help(argv: Sequence[str]) -> bool:
    """Tell whether help is asked for."""
    return bool({"-h", "--help"} & set(argv))


def take(argv: Sequence[str], key: str) -> tuple[str | None, list[str]]:
    """Take `key=...` out of `argv`; return its value as it was typed, None if there is none, and the others.

    Raises UserError where it is given twice or is not text.
    """
    values = [word[len(key) + 1 :] for word in argv if word.startswith(f"{key}=")]
    if len(values) > 1:
        raise UserError(f"{key}: given {len(values)} times, expected once; put the whole text in one pair of quotes")
    try:
        "".join(values).encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(f"{key}: the text on the command line is not UTF-8; check the terminal's encoding") from error
    return (values[0] if values else None), [word for word in argv if not word.startswith(f"{key}=")]


def overrides(argv: Sequence[str], *, open_keys: Collection[str]) -> list[str]:
    """Return `argv` as Hydra overrides.

    Paths are taken as they stand, whatever characters they have. The mappings `open_keys` are empty in the YAML and
    laid over the checkpoint's own settings, so their entries are added: `search.beam_size=5`.
    """
    ready = []
    for word in argv:
        key, equals, value = word.partition("=")
        if equals and key in PATHS and value not in ("", "null") and value[0] not in "'\"":
            word = f"{key}={_quoted(value)}"
        ready.append(f"++{word}" if key.partition(".")[0] in open_keys and "." in key else word)
    return ready


def _quoted(value: str) -> str:
    """Quote for Hydra's grammar, in which backslashes count only in front of a quote (and at the end)."""
    escaped, backslashes = "", 0
    for character in value:
        if character == "'":
            escaped += "\\" * backslashes + "\\"
        backslashes = backslashes + 1 if character == "\\" else 0
        escaped += character
    return f"'{escaped}{chr(92) * backslashes}'"
