"""The texts of the claims in English and in Korean, from texts.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml


@dataclass(frozen=True)
class Text:
    """A text in English and in Korean."""

    en: str
    ko: str

    def filled(self, **values: object) -> Text:
        """Return the text with each of the values at the place of its name in braces."""
        en, ko = self.en, self.ko
        for name, value in values.items():
            here = value if isinstance(value, Text) else Text(str(value), str(value))
            en, ko = en.replace(f"{{{name}}}", here.en), ko.replace(f"{{{name}}}", here.ko)
        return Text(en, ko)


_FILE = yaml.safe_load(Path(__file__).with_name("texts.yaml").read_text("utf-8"))
TEXTS = {section: {name: Text(**both) for name, both in found.items()} for section, found in _FILE.items()}
SHARED = TEXTS["shared"]
