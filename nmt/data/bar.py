"""A bar on the lowest line of a terminal, with as many figures as fit beside it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderResult
from rich.control import Control
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.segment import ControlType, Segment

LEAST_WIDTH = 8  # of the bar itself


class Bar:
    """Shows the share of a task that is done, and figures. Messages on the same stream appear above it."""

    def __init__(self, *, stderr: bool = False) -> None:
        """Take the stream: standard output, or standard error if `stderr`."""
        self.share = 0.0
        self.figures: Sequence[str] = ()
        self.dispensable: Sequence[str] = ()
        self._live = _Line(
            console=Console(stderr=stderr), get_renderable=lambda: self, transient=True, redirect_stdout=not stderr
        )

    def start(self) -> None:
        """Show the bar, which is drawn again four times a second."""
        self._live.start()

    def update(self, share: float, figures: Sequence[str], dispensable: Sequence[str] = ()) -> None:
        """Show another share (0 to 1) and other figures. If the line is too short, the first `dispensable` go first."""
        self.share, self.figures, self.dispensable = share, figures, dispensable

    def stop(self) -> None:
        """Remove the bar."""
        self._live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = fitting(self.figures, self.dispensable, options.max_width - LEAST_WIDTH - 1)
        width = max(0, options.max_width - len(text) - 1)
        yield from console.render(ProgressBar(total=1.0, completed=self.share, width=width), options)
        yield Segment(f" {text}"[: options.max_width])


def fitting(figures: Sequence[str], dispensable: Sequence[str], width: int) -> str:
    """Return the figures as one text of at most `width` characters, if leaving out dispensable ones achieves that."""
    left = [figure for figure in figures if figure]
    for figure in dispensable:
        if len("  ".join(left)) <= width:
            break
        left = [other for other in left if other != figure]
    return "  ".join(left)


class _Line(Live):
    """Keeps the cursor at the beginning of the line.

    If the window becomes narrower, many terminals wrap the line. Its beginning is then the place from which everything
    below must be cleared; rich alone would clear only the last part.
    """

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Return the output: the cleared line, then messages, then the new line."""
        return [_ClearBelow(), *super().process_renderables(renderables), Control(ControlType.CARRIAGE_RETURN)]


class _ClearBelow:
    """Clears the screen from the cursor on."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if console.is_terminal:
            yield Segment("\x1b[J", None, [(ControlType.CLEAR,)])
