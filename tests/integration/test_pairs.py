"""A run of several pairs of languages: what it validates and scores, and what the programs then translate."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from nmt.cli import evaluate as evaluate_program
from nmt.cli import score as score_program
from nmt.cli import translate as translate_program
from nmt.cli.arguments import read_config
from nmt.config.compose import compose
from nmt.errors import UserError
from nmt.lab.alignment.alignment import units
from nmt.lab.cli import align as align_program
from nmt.tokens import Piece
from nmt.translation.loading import ExportedModel, direction, load, load_translator
from tests.integration.small_training import SMALL_TRANSFORMER, go

DIRECTIONS = [("en", "de"), ("en", "fr"), ("de", "en"), ("fr", "en")]
TEXTS = ["May 7, 2024", "twelve"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pairs") / "run"
    pairs = ["data.pairs={other: {target_lang: fr}}", "data.both_directions=true", "tokenizer.vocab_size=420"]
    limits = ["data.sizes=[60,5,4]", "trainer.max_steps=8", "trainer.max_epochs=null", "search.beam_size=1"]
    go(folder, *SMALL_TRANSFORMER, *pairs, *limits, "logger.tensorboard=false", "scheduler.warmup_updates=2")
    return folder


def test_every_direction_is_validated_and_scored(folder: Path) -> None:
    names = ["", *(f".{source}-{target}" for source, target in DIRECTIONS[1:])]
    rows = [json.loads(line) for line in (folder / "history.jsonl").read_text("utf-8").splitlines()]
    assert {f".{name}" for row in rows for name in row["more_val"]} == {*names[1:]}
    metrics = json.loads((folder / "metrics.json").read_text("utf-8"))
    assert metrics["sentences"] == {f"{split}{name}": n for split, n in (("val", 5), ("test", 4)) for name in names}
    for name, (source, target) in zip(names, DIRECTIONS, strict=True):
        (path,) = (folder / "translations").glob(f"test{name}.beam1.lp1.scores.json")
        words = [f"ckpt={folder}", f"source_lang={source}", f"target_lang={target}"]
        inputs = evaluate_program.load_inputs(read_config("evaluate", words, evaluate_program.EvaluateConfig))
        found, lines = (
            json.loads(path.read_text("utf-8")),
            path.with_name(f"test{name}.beam1.lp1.hyp.{target}").read_text("utf-8").splitlines(),
        )
        again = evaluate_program.evaluate(inputs, bootstrap=0)
        assert found["source_lang"] == source and found["data_sha256"] == again.data_sha256
        assert again.hypotheses == lines and again.label == f"test{name}.beam1.lp1"


def test_a_pair_that_was_trained_in_a_direction_comes_before_its_opposite() -> None:
    data = {"source_lang": "en", "target_lang": "de", "path": "EN_DE", "both_directions": False}
    pairs = {
        "one": {"target_lang": "fr", "path": "EN_FR"},
        "two": {"source_lang": "fr", "target_lang": "en", "path": "FR_EN"},
    }
    pairs["three"] = {"source_lang": "de", "target_lang": "en", "path": "DE_EN"}
    config = {"data": {**compose("train", ["data=files", "data.path=x"])["data"], **data, "pairs": pairs}}
    loaded = ExportedModel(config, Path("model"))
    for code, path in (
        ("en de", "EN_DE"),
        ("en fr", "EN_FR"),
        ("fr en", "FR_EN"),
        ("de en", "DE_EN"),
        ("en ko", "EN_DE"),
    ):
        source, target = code.split()
        found = evaluate_program.data_of(loaded, {}, (source, target))
        assert (Path(str(found.path)).name, found.swapped) == (path, False)
    del pairs["two"], pairs["three"]
    for languages, path in ((("fr", "en"), "EN_FR"), (("de", "en"), "EN_DE")):
        found = evaluate_program.data_of(loaded, {}, languages)
        assert (Path(str(found.path)).name, found.swapped) == (path, True)


def test_codes_that_are_written_exactly_come_first() -> None:
    config = {
        "data": {
            "source_lang": "en",
            "target_lang": "pt_BR",
            "pairs": {"a": {"target_lang": "pt"}, "b": {"target_lang": "pt_PT"}},
        }
    }
    for given, found in (("pt", "pt"), ("pt_PT", "pt_PT"), ("pt-br", "pt_BR")):
        assert direction([config], None, given) == ("en", found)


def test_files_of_pairs_are_read_in_the_languages_of_the_direction(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text(
        json.dumps({"en": "in 3 days", "de": "in 3 Tagen", "fr": "dans 3 jours"}), "utf-8"
    )
    file = f"{tmp_path}/p.jsonl"
    for target, text in (("de", "in 3 Tagen"), ("fr", "dans 3 jours")):
        out = f"{tmp_path}/{target}.jsonl"
        score_program.main(
            [f"ckpt={folder}", f"target_lang={target}", f"source={file}", f"target={file}", f"output={out}"]
        )
        assert json.loads(Path(out).read_text("utf-8"))["translation"] == {"en": "in 3 days", target: text}
    align_program.main(
        [f"ckpt={folder}", "target_lang=fr", f"source={file}", f"target={file}", f"output={tmp_path}/links"]
    )
    links = re.findall(r"(\d+)-(\d+)", (tmp_path / "links").read_text("utf-8"))
    assert links and {int(source) for source, _ in links} <= {0, 1, 2}, "the tag is no word"
    pieces = [Piece(">>fr<<"), Piece("\u2581in"), Piece("\u25813"), Piece("</s>")]
    assert units(pieces, "in 3", words=True, where="") == units(pieces, "in 3", words=False, where="") == [None, 0, 1]


def test_the_languages_choose_a_direction(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    translator = load_translator(folder)
    assert translator.languages == DIRECTIONS[0] and translator.directions == DIRECTIONS[1:]
    by_direction = {each: translator.in_direction(each).translate(TEXTS) for each in DIRECTIONS}
    assert len({each[0].encoded.ids[0] for each in by_direction.values()}) == 3, "the tags of three languages"
    for source, target, expected in ((None, "fr", "en fr"), ("de", None, "de en"), ("fr", "en", "fr en")):
        turned, _ = load(folder, source_lang=source, target_lang=target)
        assert turned.languages == tuple(expected.split())
        for one, other in zip(turned.translate(TEXTS), by_direction[turned.languages], strict=True):
            assert (one.tokens, one.token_log_probs) == (other.tokens, other.token_log_probs)
    path = folder.parent / "saved.safetensors"
    translator.in_direction(("en", "fr")).save(path)
    saved = load_translator(path)
    assert [saved.languages, *saved.directions] == [("en", "fr"), ("en", "de"), *DIRECTIONS[2:]]
    saved.in_direction(DIRECTIONS[0]).save(path)
    both, _ = load([str(folder), str(path)], target_lang="fr")
    (one,), (other,) = (each.score(["twelve"], ["douze"]) for each in (both, translator.in_direction(("en", "fr"))))
    assert one.token_log_probs == pytest.approx(other.token_log_probs, abs=1e-5)
    translate_program.main([f"ckpt={folder}", "text=twelve", "target_lang=fr", "format=jsonl"])
    assert set(json.loads(capsys.readouterr().out)["translation"]) == {"en", "fr"}
    with pytest.raises(
        UserError, match=r"^target_lang: got ko, expected en to de or en to fr or de to en or fr to en$"
    ):
        translate_program.main([f"ckpt={folder}", "text=twelve", "target_lang=ko"])
    words = [f"ckpt={folder}", "target_lang=fr", "data.target_lang=de"]
    with pytest.raises(
        UserError, match=r"^data\.target_lang: source_lang= and target_lang= choose the direction; leave"
    ):
        evaluate_program.load_inputs(read_config("evaluate", words, evaluate_program.EvaluateConfig))
