"""Texts that look the same are the same, and what a script needs stays."""

import unicodedata

import pytest

from nmt.data.normalization import normalized

SAME = {  # what a text looks like, and how it may be written
    "football": [f"foot{hint}ball" for hint in "\u00ad\u200b\u200c\u200d\u200e\u2060\u2062\u206a\ufeff\ufe0f\u034f"],
    "a dog": ["a\u00a0dog", "a\u202f dog", "a\u3000dog", "a \u200b dog", "\u200ea dog\u200f", "a\u3164dog"],
    "e-mail": ["e\u2011mail", "e\u2010mail"],
    "é file": ["e\u00ad\u0301 \ufb01le", "\u202ae\u0301 file\u202c", "é \ufe0ffi\U000e0066le"],
    "한국 日本": ["한\u200b국 日\u200b本", "한\u115f국 日\u2060本", "\u1112\u1161\u11ab국\u180e 日本"],
    "왔어요? Où ?": [
        "\u110b\u116a\u11bb\u110b\u1165\u110b\u116d?\t Ou\u0300\u202f?\r\n",
        " 와\u11bb어요?\u2028Où\u00a0?",
    ],
    "PDF 3개。": ["\uff30\uff24\uff26 \uff13개。"],
    "می\u200cکند": ["می\u200c\u200cکند", "می\u00ad\u200cکند", "می\u200cکند\u200c"],
    "ខ្មែរ\u200bភាសា": ["ខ្មែរ\u200b\u200bភាសា\u200b", "\u200bខ្មែរ\u2060\u200bភាសា"],
}
NEEDED = [
    *("می\u200cکند", "PDF\u200cبر", "٢٣سم\u200d", "क्\u200dष क्\u200cष", "র\u200d্য", "ශ්\u200dරී"),
    *("ខ្មែរ\u200bភាសា", "ภาษา\u200bไทย", "ພາສາ\u200bລາວ", "မြန်မာ\u200bစာ", "ᠰᠠᠢ\u180bᠨ\u180eᠠ"),
    *("שָׁ\u034fם (abc)\u200f!", "\u2067عربي\u2069", "ܫܠܡ\u200e", "\u0600٢٣", "\u06dd٢", "ᄒ\u1160ᆫ", "\u115fᅡ"),
    *(
        "👩🏽\u200d❤\ufe0f\u200d👨",
        "1\ufe0f\u20e3",
        "🏴\U000e0067\U000e0062\U000e0073\U000e007f",
        "↔\ufe0f",
        "葛\U000e0100",
    ),
    *("\ufff9漢\ufffaかん\ufffb", "\U0001d158\U0001d173\U0001d165"),
]


@pytest.mark.parametrize(("text", "written"), [(text, each) for text, several in SAME.items() for each in several])
def test_texts_that_look_the_same_are_the_same(text, written):
    assert normalized(written) == normalized(normalized(written)) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("text", NEEDED)
def test_what_a_script_needs_stays(text):
    assert normalized(text) == normalized(f"\ufeff{text}\u00ad") == unicodedata.normalize("NFC", text)


@pytest.mark.lab
def test_what_a_script_needs_is_no_defect():
    from nmt.lab.corpus.defects import DEFECTS

    assert [text for text in NEEDED if DEFECTS["invisible"].problem(normalized(text), "")] == []
