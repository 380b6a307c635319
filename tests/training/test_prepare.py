"""What is made of the settings and the data before training, and what is refused then."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from nmt.build import build_objects
from nmt.config.compose import compose_run
from nmt.config.recipe import Recipe
from nmt.errors import UserError
from nmt.training.prepare import Prepared, prepare
from nmt.training.scored import scored_pairs

CORPUS = [
    "data=cldr", "data.sizes=[200,8,8]", "data.topics=[numbers]", "data.max_parts=1", "tokenizer.vocab_size=316",
    "trainer.accelerator=cpu",
]  # fmt: skip
POSITIONS = ["model/positions=learned", "model.positions.max_length=64", "data.max_length=64"]
SHORT, LONG = "one", " ".join(["one"] * 100)


def prepared(recipe: Recipe) -> Prepared:
    """Return what a run makes before it trains."""
    return prepare(recipe, build_objects(recipe.settings))


@pytest.mark.parametrize(
    ("split", "source", "target", "refused"),
    [
        ("val", LONG, SHORT, True),
        ("val", SHORT, LONG, True),
        ("test", LONG, SHORT, False),  # the search splits it
        ("test", SHORT, LONG, False),  # the model does not read it
        ("val", SHORT, SHORT, False),
    ],
)
def test_a_sentence_longer_than_the_positions_is_found_before_training(
    split: str, source: str, target: str, refused: bool, tmp_path: Path
) -> None:
    for name, line in (("source", source), ("target", target)):
        (tmp_path / name).write_text(f"{SHORT}\n{line}\n", "utf-8")
    files = f"data.{split}=[{tmp_path}/source,{tmp_path}/target]"
    recipe = compose_run([*CORPUS, *POSITIONS, files, f"hydra.run.dir={tmp_path}/run"])
    if not refused:
        assert prepared(recipe).translator.model.decoder.max_length == 64
        return
    words = rf"positions\.max_length: got 64, expected at least \d+ for the longest sentence of {split}; raise it,"
    with pytest.raises(UserError, match=words):
        prepared(recipe)


@pytest.mark.parametrize("row", ["one\t｟14｠ eins", "｟14｠ one\teins"])
def test_no_target_begins_with_the_mark_of_what_a_model_wrote(row: str, tmp_path: Path) -> None:
    (tmp_path / "back.tsv").write_text(f"{row}\n", "utf-8")
    words = [f"data.more={{back: {{train: {tmp_path}/back.tsv}}}}", "data.both_directions=true"]
    with pytest.raises(UserError, match=r"data\.more\.back: targets would begin with ｟14｠"):
        prepared(compose_run([*CORPUS, *words, f"hydra.run.dir={tmp_path}/run"]))


def test_overfit_switches_every_dropout_off(tmp_path: Path) -> None:
    model = ["model.encoder.block.residual_dropout=0.5"]
    recipe = compose_run([*CORPUS, *model, "data.overfit=true", f"hydra.run.dir={tmp_path}"])
    encoder = prepared(recipe).translator.model.encoder.train()
    tokens = torch.arange(4, 20).view(4, 4)
    first, second = (encoder(tokens, tokens > 0).memory for _ in range(2))
    assert torch.equal(first, second)


def test_both_directions_change_the_training_pairs_only(tmp_path: Path) -> None:
    settings = [f"hydra.run.dir={tmp_path}/run"]
    usual, both = (prepared(compose_run([*CORPUS, *settings, *more])) for more in ([], ["data.both_directions=true"]))
    assert len(both.train) == 2 * len(usual.train)
    assert both.val == usual.val and both.digest != usual.digest
    assert both.translator.tokenizer.digest() == usual.translator.tokenizer.digest()
    words = r"data\.both_directions: got true with tokenizer\.joint=false, expected a joint vocabulary"
    words_of_two = ["data.both_directions=true", "tokenizer.joint=false", "model.tie_embeddings=none"]
    with pytest.raises(UserError, match=words):
        build_objects(compose_run([*CORPUS, *settings, *words_of_two]).settings)


def test_further_corpora_join_the_training_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ft.en").write_text("one\ntwo\nthree\n\n", "utf-8")
    Path("ft.de").write_text("eins\nzwei\ndrei\nleer\n", "utf-8")
    Path("bt.tsv").write_text("four\tvier\nfive\tfünf\n", "utf-8")
    more = "data.more={ft: {train: [ft.en, ft.de], weight: 2}, bt: {train: bt.tsv, weight: 0.5}}"
    settings = [f"hydra.run.dir={tmp_path}/run"]
    recipe = compose_run([*CORPUS, *settings, more])
    assert recipe.plain["data"]["more"]["ft"]["train"] == [f"{tmp_path}/ft.en", f"{tmp_path}/ft.de"]
    assert recipe.plain["data"]["more"]["bt"]["train"] == f"{tmp_path}/bt.tsv"
    usual, joined = prepared(compose_run([*CORPUS, *settings])), prepared(recipe)
    assert len(joined.train) == len(usual.train) + 2 * 3 + 1
    assert joined.train.parts[1].corpus.dropped == {"empty": 1}
    assert joined.translator.tokenizer.digest() == usual.translator.tokenizer.digest()
    assert joined.val == usual.val and joined.digest != usual.digest
    other = prepared(compose_run([*CORPUS, *settings, more.replace("weight: 2", "weight: 3")]))
    assert other.digest != joined.digest


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("{ft: {train: ft.en, weight: 0}}", r"data\.more\.ft\.weight: got 0, expected a number of more than 0"),
        ("{ft: {train: ft.tsv, wieght: 2}}", r"data\.more\.ft\.wieght: unknown key; did you mean"),
        ("{ft: {train: [a.en, a.de, a.ko]}}", r"data\.more\.ft\.train: got \[.*\], expected one file or"),
        ("{ft: {train: EMPTY}}", r"empty\.tsv: empty corpus; expected at least one"),
    ],
)
def test_mistakes_in_further_corpora_are_told(more: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "empty.tsv").write_text("\t\n", "utf-8")
    more = more.replace("EMPTY", f"{tmp_path}/empty.tsv")
    with pytest.raises(UserError, match=message):
        prepared(compose_run([*CORPUS, f"data.more={more}", f"hydra.run.dir={tmp_path}/run"]))


def test_a_model_learns_several_pairs_of_languages(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    for split, count in (("train", 50), ("val", 2), ("test", 3)):
        (folder / f"{split}.tsv").write_text("".join(f"one {n}\tun {n}\n" for n in range(count)), "utf-8")
    pairs = f"data.pairs={{a: {{target_lang: fr, path: {folder}, weight: 3}}, b: {{target_lang: nl}}}}"
    words = [*CORPUS, f"hydra.run.dir={tmp_path}/run", "tokenizer.vocab_size=330"]
    alone = prepared(compose_run(words))
    found, warm = (
        prepared(compose_run([*words, pairs, "data.both_directions=true", more]))
        for more in ("data.temperature=1", "data.temperature=2")
    )
    tokenizer, corpora = found.translator.tokenizer, found.corpora
    assert {*tokenizer.tags} == {"en", "de", "fr", "nl"}
    assert found.translator.directions == [("en", "fr"), ("en", "nl"), ("de", "en"), ("fr", "en"), ("nl", "en")]
    sides = {"": ("en", "de"), "a": ("en", "fr"), "b": ("en", "nl")}
    texts = {(*sides[name], each.source, each.target) for name, corpus in corpora.items() for each in corpus["train"]}
    expected = texts | {(target, source, *pair[::-1]) for source, target, *pair in texts}
    languages = {index: language for language, index in tokenizer.tags.items()}
    read = {
        (languages[pair.source[0]], *map(tokenizer.decode_target, (pair.source[1:], pair.target)))
        for pair in found.train.of_epoch(0)
    }
    assert read == {(target, *pair) for _, target, *pair in expected}
    assert len(found.train) == 2 * (200 + 3 * 50 + 200)
    assert len(warm.train) == 2 * (200 + 3 * 2 * 50 + 200), "(200 / 50) ** (1 - 1 / 2)"
    assert {pair.source[0] for pair in found.val} == {tokenizer.tags["de"]}
    assert len({alone.digest, found.digest, warm.digest}) == 3
    for wrong, message in (
        ("{a: {target_lang: de}}", r"data\.pairs\.a: the languages en and de occur twice; name more files"),
        ("{a: {target_lang: en}}", r"data\.pairs\.a\.target_lang: got 'en', the same as source_lang"),
        ("{a: {source_lang: fr}, b: {target_lang: fr, path: x}}", "x: no such folder"),
        ("{a: {path: x}}", r"data\.pairs\.a: the languages en and de occur twice"),
        (f"{{a: {{target_lang: fr, path: {folder}}}, b: {{target_lang: ko, path: {folder}}}}}", "have the same texts"),
    ):
        with pytest.raises(UserError, match=message):
            prepared(compose_run([*words, f"data.pairs={wrong}"]))
    with pytest.raises(UserError, match=r"data\.temperature: got 5 without data\.pairs, which it weighs"):
        prepared(compose_run([*words, "data.temperature=5"]))
    settings = compose_run([*words, f"data.more_val={{a/b: {{path: {folder}}}}}", "data.target_lang=fr"]).settings
    with pytest.raises(UserError, match=r"data\.more_val\.a/b: this is the name of a direction, or a path"):
        scored_pairs(settings, build_objects(settings), alone.corpora)
    with pytest.raises(UserError, match=r"data\.pairs\.b\.path: not given, but data\.train has a file for each"):
        prepared(compose_run([*words, "data.train=[a.en,a.de]", "data.pairs={b: {target_lang: nl}}"]))
    own = tmp_path / "own.model"
    own.write_bytes(alone.translator.tokenizer.source_model)
    with pytest.raises(UserError, match=r"data\.pairs: the vocabulary has no piece >>de<<, which stands before"):
        prepared(compose_run([*words, pairs, f"tokenizer.path={own}"]))


def test_further_corpora_have_no_alignments_to_learn_from(tmp_path: Path) -> None:
    (tmp_path / "links").write_text("0-0\n" * 200, "utf-8")
    settings = ["objective=guided_alignment", f"data.train_alignment={tmp_path}/links"]
    recipe = compose_run([*CORPUS, *settings, "data.more={ft: {train: ft.tsv}}", f"hydra.run.dir={tmp_path}/run"])
    with pytest.raises(
        UserError, match=r"data\.more: got ft, but objective GuidedAlignment learns from word alignments"
    ):
        prepared(recipe)
