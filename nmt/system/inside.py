"""Paths of files in a run folder, whose names are made of stored values. A stranger may have chosen both."""

from __future__ import annotations

from pathlib import Path

from nmt.errors import UserError, printable


def inside(folder: Path, *names: str) -> Path:
    """Return the path of a file that is read or written below `folder`; all but the last of `names` are folders.

    `folder` itself may be a link, or lie behind one, and so may the file: who writes a file whole replaces a link and
    does not follow it. Raises UserError for a name that leads out of its folder or that a terminal cannot show, and for
    a link in place of a folder below `folder`.
    """
    path = folder
    for name in names:
        if name in ("", ".", "..") or Path(name).name != name or name != printable(name):
            raise UserError(f"{folder}: got {name!r} as a part of a file's name, expected a plain name without / or ..")
        if path != folder:
            require_no_link(path)
        path = path / name
    return path


def require_no_link(path: Path) -> None:
    """Raise UserError if `path` is a link, so that nothing is written where it leads."""
    if path.is_symlink():
        raise UserError(f"{path}: a link, which may lead anywhere; put the folder or file itself in its place")
