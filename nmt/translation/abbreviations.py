"""Abbreviations whose full stop does not end a sentence. Single letters ("e.g.", "z. B.", "J. Kim") need no list.

The lists are short, and hold what is common in news, letters and manuals. All of them count in every text, because
names and titles keep their form in other languages, as "Dr." does in a Korean text.
"""

from __future__ import annotations

from itertools import chain

# They never end a sentence: a name, an example or a unit follows.
_WITHIN = {
    "en": "Mr Mrs Ms Messrs Dr Drs Prof Rev Hon Gen Col Maj Capt Lt Sgt Sen Rep Gov Pres St Mt cf vs viz approx incl",
    "de": "Hr Hrn Fr Prof Dipl Ing Mag Hl bzw bspw ca evtl exkl ggf inkl insb sog vgl zzgl Mio Mrd Tsd",
    "hi": "डॉ",
}
# They do not end a sentence if a number or a bracket follows: "No. 5". Otherwise they can: "No. It is not."
_BEFORE_NUMBERS = {
    "en": "no nos fig figs eq eqs sec sect ch vol pp Art etc al Inc Ltd Jr Sr Jan Feb Apr Aug Sep Sept Oct Nov Dec",
    "de": r"Nr Nrn Abb Tab Kap Abs Bd Anm Tel Str \w+str Febr Okt Dez usw usf",
}
# Words that often begin a sentence, and are small after a number or an initial inside one: "It is 5. The", "in C. It".
_STARTERS = {
    "en": "A After All An And As At Both But By Each For He Here How However If In It Its My No On Our Please See "
    "She So That The Their Then There These They This Those To Use We What When While You Your",
    "de": "Aber Als An Auch Auf Bei Da Das Dem Den Der Des Die Diese Dieser Dieses Doch Dort Ein Eine Er Es Hier Ich "
    "Im In Ist Man Mit Nach Sein Seine Sie Sind So Und Von Wenn Wir",
}


def _pattern(words: dict[str, str]) -> str:
    """Return a regular expression for all words. A small first letter also matches a capital, as in "Approx."."""
    every = dict.fromkeys(chain.from_iterable(each.split() for each in words.values()))
    return "|".join(f"(?i:{word[0]}){word[1:]}" if word[0].islower() else word for word in every)


WITHIN = _pattern(_WITHIN)
BEFORE_NUMBERS = _pattern(_BEFORE_NUMBERS)
STARTERS = _pattern(_STARTERS)
