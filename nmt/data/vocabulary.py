"""The size of a vocabulary, if the settings give none."""

from __future__ import annotations

import math
from collections.abc import Iterable

from nmt.tokens import RESERVED

FIXED = 4 + len(RESERVED) + 256  # special pieces, reserved pieces and bytes
MOST = 32_000


def default_size(texts: Iterable[str], pairs: int) -> int:
    """Return the number of pieces for `texts`, which are the training texts of a corpus of this many `pairs`.

    Every character of the texts gets a piece. The number of further pieces grows with the square root of `pairs`, from
    1,000 for 1,000 pairs to 5,600 for the 29,000 pairs of Multi30k. The whole is at most 32,000, unless the texts have
    more characters.
    """
    characters = {" "}
    for text in texts:
        characters.update(text)
    fewest = FIXED + len(characters)
    return max(fewest, min(MOST, fewest + round(33 * math.sqrt(pairs))))
