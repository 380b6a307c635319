"""The report on an evaluation: its figures, its sentences and its page."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import pytest
import torch

from nmt.data.pair import SentencePair, Split
from nmt.evaluation.metrics.base import score
from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.chrf import ChrF
from nmt.evaluation.split import Evaluation, Subject
from nmt.lab.attribution.base import AttributionView, attribute
from nmt.lab.attribution.logit_lens import LogitLens
from nmt.lab.attribution.occlusion import Occlusion
from nmt.lab.report.errors import judge
from nmt.lab.report.examples import examples
from nmt.lab.report.page import differing, page
from nmt.lab.report.rarity import Training, rarity
from nmt.lab.report.report import Report, report, to_dict
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.translation.translator import Translator
from tests.html_page import Page
from tests.tiny_run import Run, sentences

EVIL = "<script>alert('x')</script> & <img src=x onerror=alert(1)> {{ 1 + 1 }}"
SOURCES, REFERENCES = ["a dog reads.", "a man.", "two dogs", "red, blue", "snow", "the bike"], ["ab cd"] * 6


def evaluated(
    translator: Translator,
    sources: Sequence[str],
    references: Sequence[str],
    hypotheses: Sequence[str],
    *,
    languages: tuple[str, str] = ("en", "de"),
) -> Evaluation:
    """Return the evaluation of given translations."""
    subject = Subject(split="test", source_lang=languages[0], target_lang=languages[1], data="data.path=FOLDER")
    found = translator.score(sources, hypotheses)
    scores = score({"bleu": BLEU(target_lang=languages[1]), "chrf": ChrF()}, hypotheses, references, sources=sources)
    return Evaluation(subject, translator.search, found, list(references), scores, 2.0)


def made(
    translator: Translator,
    evaluation: Evaluation,
    views: Mapping[str, AttributionView] = MappingProxyType({}),
    *,
    count: int = 1,
    n_best: int = 2,
) -> Report:
    training = Training([Split.of([SentencePair("x", line) for line in sentences(3, seed=1)])], "data.path=CORPUS")
    rare = rarity(training, [*evaluation.references, *evaluation.hypotheses], evaluation.scores.metrics, "de")
    verdicts = judge(translator, evaluation.translations, evaluation.references)
    chosen = examples(translator, evaluation, verdicts, views, count=count, n_best=n_best, seed=1)
    return report(translator, evaluation, verdicts, rare, chosen, 50)


def test_each_sentence_is_in_one_group_and_groups_are_scored_as_corpora(run: Run) -> None:
    sources, references = sentences(90, seed=8), sentences(90, seed=9)
    hypotheses = [*references[:40], *sentences(50, seed=10)]
    evaluation = evaluated(run.translator, sources, references, hypotheses)
    found = made(run.translator, evaluation)
    for groups in (found.by_length, found.by_rarest):
        assert sum(group.sentences for group in groups) == 90 and len(groups) > 1
    first = found.by_length[0]
    low, _, high = first.name.partition("-")
    places = [place for place, line in enumerate(sources) if int(low) <= len(line.split()) <= int(high or low)]
    lines = [hypotheses[place] for place in places], [references[place] for place in places]
    assert (first.sentences, first.score) == (len(places), BLEU(target_lang="de").score(*lines).value)


def test_sentences_are_the_best_the_worst_and_random_ones(run: Run) -> None:
    references = sentences(30, seed=9)
    evaluation = evaluated(run.translator, sentences(30, seed=8), references, [*references[:3], *sentences(27, seed=2)])
    found = to_dict(made(run.translator, evaluation, count=4))["examples"]
    scorer = ChrF().scorer()
    all_scores = sorted(
        scorer.sentence_score(line, [reference]).score
        for line, reference in zip(evaluation.hypotheses, references, strict=True)
    )
    assert [each["chrf"] for each in found["worst"]] == all_scores[:4]
    assert [each["chrf"] for each in found["best"]] == all_scores[:-5:-1]
    assert {each["number"] for each in found["best"][:3]} == {1, 2, 3}
    lengths = [len(each["reference"]) for each in found["best"][:3]]
    assert lengths == sorted(lengths, reverse=True), "of equal scores, the longer first"
    again = to_dict(made(run.translator, evaluation, count=4))["examples"]
    assert again == found and len({each["number"] for each in found["random"]}) == 4
    assert all(len(each["pieces"]) == len(each["token_log_probs"]) for each in found["random"])
    assert to_dict(made(run.translator, evaluation, count=0))["examples"] == {"best": [], "worst": [], "random": []}


@pytest.mark.parametrize(
    ("search", "n_best", "found"),
    [
        (BeamSearch(beam_size=4), 3, 3),
        (BeamSearch(beam_size=2), 3, 2),
        (Sampling(samples=4), 3, 3),
    ],
)
def test_the_list_has_as_many_translations_as_the_search_finds(
    run: Run, search: Search, n_best: int, found: int
) -> None:
    translator = Translator(run.translator.model, run.translator.tokenizer, search)
    evaluation = evaluated(translator, SOURCES[:2], REFERENCES[:2], ["ab", "cd"])
    for example in made(translator, evaluation, count=1, n_best=n_best).examples["best"]:
        several = search.replace(n_best=found) if isinstance(search, BeamSearch) else search
        expected = translator.hypotheses([example.source], search=several)[0][:found]
        assert [each.text for each in example.n_best] == [each.text for each in expected] and len(expected) == found


def test_views_of_the_sentences_stand_beside_the_attention(run: Run) -> None:
    translations = [*run.translator.translate([""]), *run.translator.score(SOURCES[1:3], ["ab"] * 2)]
    evaluation = replace(evaluated(run.translator, SOURCES[:3], REFERENCES[:3], ["ab"] * 3), translations=translations)
    found = made(run.translator, evaluation, {"occlusion": Occlusion(), "lens": LogitLens()}, count=3)
    for example, plain in zip(found.examples["best"], to_dict(found)["examples"]["best"], strict=True):
        if not example.source:
            assert plain["views"] == {} and plain["attention"] is None
            continue
        seen = attribute(Occlusion(), run.translator, example.translation).view()
        shown = plain["views"]["occlusion"]
        torch.testing.assert_close(torch.tensor(shown["weights"]), torch.from_numpy(seen.panel()[0]), atol=1e-4, rtol=0)
        assert (shown["rows"], shown["columns"]) == seen.axes
        assert plain["views"]["lens"]["cells"] == example.views["lens"].cells
    text = page(found)
    assert text.count("<summary>Occlusion</summary>") == text.count("<summary>Attention to the source</summary>") > 2


def test_the_page_shows_markup_in_sentences_and_needs_no_network(run: Run) -> None:
    text = page(made(run.translator, evaluated(run.translator, [EVIL], [EVIL], [EVIL])))
    seen = Page(text)
    assert not seen.tags & {"script", "link", "iframe", "object"} and {"img", "svg", "del", "ins"} <= seen.tags
    assert seen.text.count(EVIL) == 9, "source, reference and translation of the best, worst and random sentence"
    assert all(address.startswith("data:image/png;base64,") for address in seen.addresses) and seen.addresses
    assert not re.search(r"https?://|@import|url\(|<script|onerror=alert\(1\)>", text)
    assert "default-src 'none'" in text and "prefers-color-scheme: dark" in text


def test_the_page_shows_what_the_json_has(run: Run) -> None:
    evaluation = evaluated(run.translator, SOURCES, REFERENCES, ["ab xy", *["ab cd"] * 5])
    found = made(run.translator, evaluation)
    figures, text = json.loads(json.dumps(to_dict(found))), page(found)
    seen = Page(text).text
    for entry in figures["scores"].values():
        assert f"{entry['value']:.2f}" in seen and entry["signature"] in seen
    for part in ("by_length", "by_rarity"):
        assert all(f"{group['score']:.2f}" in seen and group["name"] in seen for group in figures[part]["groups"])
    assert all(f"{group['f_measure']:.2f}" in seen for group in figures["words"]["groups"])
    for example in (each for found in figures["examples"].values() for each in found):
        assert f"sentence {example['number']}" in seen and f"chrF {example['chrf']:.1f}" in seen
        assert all(f'title="{math.exp(value):.1%}"' in text for value in example["token_log_probs"])
        assert all(each["text"] in seen for each in example["n_best"])
    assert "<ins>xy</ins>" in text and "<del>cd</del>" in text


def test_languages_and_directions_are_those_of_the_text(run: Run) -> None:
    lines = ["الكلب يجري"] * 2
    evaluation = evaluated(run.translator, SOURCES[:2], lines, lines, languages=("en_GB", "ar"))
    text = page(made(run.translator, evaluation))
    assert '<dd lang="en-GB" dir="auto">' in text and '<dd lang="ar" dir="auto">الكلب يجري</dd>' in text
    assert re.search(r'<span dir="ltr" style="[^"]*" title="[^"]*">&lt;/s&gt;</span>', text), "not mirrored"


def test_a_search_that_cannot_be_judged_has_no_search_errors(run: Run) -> None:
    sampled = Translator(run.translator.model, run.translator.tokenizer, Sampling())
    found = made(sampled, evaluated(sampled, SOURCES, REFERENCES, ["ab"] * 6))
    figures, text = to_dict(found), page(found)
    assert figures["errors"] == {} and figures["examples"]["best"][0]["kind"] is None
    assert "search error" not in text.lower() and "not compared" not in text and "None" not in Page(text).text


# The words in which two texts differ


def shown(one: str, other: str) -> tuple[str, str]:
    texts = differing(one, other)
    first, second = ("".join(f"[{text}]" if differs else text for text, differs in parts) for parts in texts)
    return first, second


@pytest.mark.parametrize(
    ("one", "other", "marked"),
    [
        ("A dog runs.", "A dog runs.", ("A dog runs.", "A dog runs.")),
        ("A dog runs fast.", "A big dog ran.", ("A dog [runs fast].", "A [big] dog [ran].")),
        ("a b", "", ("[a b]", "")),
        ("犬が走る。", "犬は走った。", ("犬[が]走[る]。", "犬[は]走[った]。")),  # characters
        ("개가 빨리 달린다.", "개는 빨리 달린다.", ("[개가] 빨리 달린다.", "[개는] 빨리 달린다.")),  # words
        ("हिन्दी भाषा", "हिन्दी बोली", ("हिन्दी [भाषा]", "हिन्दी [बोली]")),  # marks belong to their words
        ("ที่นี่", "ที่โน่น", ("ที่[นี่]", "ที่[โน่น]")),  # marks belong to their characters
    ],
)
def test_differing_words_are_marked(one: str, other: str, marked: tuple[str, str]) -> None:
    assert shown(one, other) == marked
    assert shown(other, one) == marked[::-1]


def test_the_parts_are_the_whole_text() -> None:
    draw = random.Random(1)
    for _ in range(200):
        texts = ["".join(draw.choices("ab c.,犬走하 \u0301", k=draw.randint(0, 12))) for _ in range(2)]
        for text, parts in zip(texts, differing(*texts), strict=True):
            assert "".join(part for part, _ in parts) == text and all(part for part, _ in parts)
        one, other = ("".join(part for part, differs in parts if not differs) for parts in differing(*texts))
        assert "".join(one.split()) == "".join(other.split())
