"""What an HTML page holds, as a browser would read it."""

from __future__ import annotations

from html.parser import HTMLParser


class Page(HTMLParser):
    """Collects the elements of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [str(value) for name, value in attrs if name in ("src", "href", "onclick", "onload")]

    def handle_data(self, data: str) -> None:
        self.text += data
