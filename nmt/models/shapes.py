"""Makes models that have shapes but no weights, to check them without memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_DRAWS = (torch.nn.init.normal_, torch.Tensor.normal_)


class _WithoutDraws(TorchFunctionMode):
    """Leaves out `normal_`: on the meta device torch imports its compiler for it, which takes seconds."""

    def __torch_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        named = kwargs or {}
        if function in _DRAWS:
            return args[0] if args else named["tensor"]
        return function(*args, **named)


@contextmanager
def shapes_only() -> Iterator[None]:
    """Make every tensor on the meta device while the block runs: it has a shape, but neither memory nor values."""
    with torch.device("meta"), _WithoutDraws():
        yield
