"""What the tests of the pages share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser import CHROMIUM, MISSING, Browser, browser


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser, started once."""
    if CHROMIUM is None:
        pytest.skip(MISSING)
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started
