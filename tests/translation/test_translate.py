"""Text in, text out: the Translator."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import pytest
import torch

from nmt import checkpoint
from nmt.attention_map import Origin
from nmt.errors import UserError
from nmt.models.seq2seq import Seq2Seq
from nmt.search.base import Hypothesis
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.tokens import BOS, EOS
from nmt.translation.batches import batches_by_length
from nmt.translation.loading import load_translator, resolve_device
from nmt.translation.translator import Translator
from tests.tiny_run import Run, make_model, sentences, stack


def test_one_for_one_in_order_in_any_batch(run: Run) -> None:
    texts = ["", *sentences(6, seed=1), " \t ", "two dogs\nin snow", "\u00a0"]
    together = run.translator.translate(texts)
    assert [t.source for t in together] == texts
    for other in (run.translator.translate(texts, batch_tokens=1), run.translator.translate(texts[::-1])[::-1]):
        assert [t.tokens for t in other] == [t.tokens for t in together]
    for empty in (together[0], together[7], together[9]):
        assert (empty.text, empty.tokens, empty.pieces, empty.score) == ("", [], [], 0.0)
    assert any(t.text for t in together)


def test_limits_come_from_each_sentence_itself(run: Run) -> None:
    for found in run.translator.translate(sentences(20, seed=3), max_length_factor=0.5, max_length_extra=0):
        pieces = len(run.translator.tokenizer.encode_source([found.source])[0])
        assert 1 <= len(found.tokens) <= max(1, pieces // 2)


def test_a_source_that_is_too_long_is_split_and_joined(run: Run) -> None:
    """The training's limit in this run is 128 tokens; here it is made smaller."""
    parts = ["a man, woman dog.", "Two red bike!", "A man reads."]
    translator = copy.copy(run.translator)
    translator.trained_length = max(len(ids) for ids in translator.tokenizer.encode_source(parts))
    texts = ["two dog", " ".join(parts), "", parts[0]]
    advanced: list[int] = []
    found = translator.hypotheses(texts, n_best=2, batch_tokens=30, advance=advanced.append)
    alone = [translator.hypotheses([part], n_best=2)[0] for part in parts]
    assert [each[0].source for each in found] == texts and sum(advanced) == 4
    assert [len(each[0].parts) for each in found] == [0, 3, 0, 0]
    for rank, joined in enumerate(found[1]):
        expected = [each[rank] for each in alone]
        assert [part.tokens for part in joined.parts] == [part.tokens for part in expected]
        assert joined.text == " ".join(part.text for part in expected if part.text)
        assert joined.score == pytest.approx(sum(part.score for part in expected), abs=1e-4)
        assert joined.tokens == [token for part in expected for token in part.tokens]
        assert len(joined.tokens) == len(joined.pieces) == len(joined.token_log_probs)
    with pytest.raises(UserError, match="translated in 3 parts; draw the map of one of them"):
        translator.attention_maps([found[1][0]])
    assert len(translator.attention_maps(found[1][0].parts)) == 3


def test_a_source_that_is_too_long_is_refused_or_read_whole_if_asked(run: Run) -> None:
    translator = copy.copy(run.translator)
    translator.trained_length = 20
    texts = ["a man", "two dog " * 20]
    with pytest.raises(UserError, match=r"sentence 2 of 2: got 61 tokens, expected at most 20 tokens \(data\.max_"):
        translator.translate(texts, long_source="refuse")
    whole = translator.translate(texts, long_source="whole")
    assert [each.tokens for each in whole] == [each.tokens for each in run.translator.translate(texts)]
    with pytest.raises(UserError, match=r"expected at most 50 tokens \(search\.max_source_length\)"):
        translator.translate(texts, long_source="whole", max_source_length=50)
    assert translator.score(texts, ["x", "x"]) == run.translator.score(texts, ["x", "x"])
    with pytest.raises(UserError, match=r"score: source 2 of 2: got .* at most 50"):
        Translator(translator.model, translator.tokenizer, BeamSearch(max_source_length=50)).score(texts, ["x", "x"])
    with pytest.raises(UserError, match=r"search\.long_source: got 'cut', expected one of split, refuse, whole"):
        translator.translate(texts, long_source="cut")


def test_the_training_says_how_long_a_source_may_be(run: Run, tmp_path: Path) -> None:
    loaded = load_translator(run.folder, device="cpu")
    assert loaded.trained_length == 128 and run.translator.trained_length is None
    for translator, length in ((loaded, 128), (run.translator, None)):
        translator.save(tmp_path / "again.safetensors")
        again = load_translator(tmp_path / "again.safetensors", device="cpu")
        assert (again.trained_length, again.languages) == (length, translator.languages)
    long = "a dog. " * 40_000
    (found,) = loaded.translate(["e" * 600], beam_size=1, max_length_factor=0.1)
    assert len(found.parts) > 3 and "".join(part.source for part in found.parts) == "e" * 600
    assert str(loaded.source_limit()) == "128 tokens (data.max_length of the training)"
    with pytest.raises(UserError, match=r"^in\.txt:3: got \d{3},\d{3} tokens"):
        load_translator(run.folder, device="cpu", long_source="refuse").check_source(long, "in.txt:3")


def test_positions_limit_translations_and_sources(run: Run) -> None:
    """A model of 16 positions: the search may write twice as many tokens, and a source may have more."""
    sides = {side.lower(): stack(side) for side in ("Encoder", "Decoder")}
    for node in sides.values():
        learned = {"_target_": "nmt.models.positions.learned.Learned", "_partial_": True, "max_length": 16}
        node["positions"] = learned
    tokenizer = run.translator.tokenizer
    model = make_model({"tie_embeddings": "all", **sides}, tokenizer)
    with torch.no_grad():
        model.decoder.embedding.weight[EOS] = 0.0  # so that no hypothesis ends early
    texts = ["a man", "two dog"]
    for search in (BeamSearch(beam_size=2, max_length_extra=40), Sampling(samples=2, max_length_extra=40)):
        found = Translator(model, tokenizer, search).hypotheses(texts)
        assert max(len(each.tokens) for hypotheses in found for each in hypotheses) == 16
    long = " ".join(["woman"] * 40)
    assert len(Translator(model, tokenizer, BeamSearch()).translate([*texts, long])[2].parts) > 1
    with pytest.raises(UserError, match=r"^b:2: the translation: got .* at most 16 tokens \(the positions of the dec"):
        Translator(model, tokenizer, BeamSearch()).score(texts, ["a", long], places=["b:1", "b:2"])
    with pytest.raises(UserError, match=r"expected at most 16 tokens \(the positions of the encoder\)"):
        Translator(model, tokenizer, BeamSearch(long_source="whole")).translate([*texts, long])


def test_n_best_hypotheses_are_ranked(run: Run) -> None:
    texts = sentences(4, seed=7)
    found = run.translator.hypotheses(texts, beam_size=4, n_best=3)
    for text, hypotheses in zip(texts, found, strict=True):
        assert [each.source for each in hypotheses] == [text] * 3
        assert [each.score for each in hypotheses] == sorted((each.score for each in hypotheses), reverse=True)
        assert len({tuple(each.tokens) for each in hypotheses}) == 3
    best = run.translator.translate(texts, beam_size=4, n_best=3)
    assert best == [hypotheses[0] for hypotheses in found]


def test_score_is_the_log_probability_of_the_forced_model(run: Run) -> None:
    model, tokenizer = run.translator.model.eval(), run.translator.tokenizer
    sources, targets = sentences(5, seed=8), sentences(5, seed=13)
    for found in run.translator.score(sources, targets):
        assert found.tokens == tokenizer.encode_target([found.text])[0] and found.tokens[-1] == EOS
        assert found.pieces == [piece.label for piece in tokenizer.target_pieces(found.tokens)]
        source = torch.tensor(tokenizer.encode_source([found.source]))
        hidden, _ = model(source, torch.ones_like(source).bool(), torch.tensor([[BOS, *found.tokens[:-1]]]))
        forced = model.decoder.output(hidden).log_softmax(-1)[0, range(len(found.tokens)), found.tokens]
        assert found.token_log_probs == pytest.approx(forced.tolist(), abs=1e-4)
        assert found.score == pytest.approx(sum(forced.tolist()), abs=1e-3)
    assert run.translator.score(["a dog"], [""])[0].pieces == ["</s>"]
    with pytest.raises(UserError, match=r"source 2 of 2: the source is empty, .*leave it out"):
        run.translator.score(["a dog", " "], ["god a", "x"])


def test_a_saved_translator_is_read_back(run: Run, tmp_path: Path) -> None:
    texts = sentences(5, seed=12)
    search = Sampling(temperature=0.8, samples=2, max_length_factor=1.0)
    translator = Translator(run.translator.model, run.translator.tokenizer, search)
    translator.save(tmp_path / "mine.safetensors")
    again = load_translator(tmp_path / "mine.safetensors", device="cpu")
    assert again.search == search and again.translate(texts) == translator.translate(texts)
    again.save(tmp_path / "again.safetensors")
    assert load_translator(tmp_path / "again.safetensors", device="cpu").translate(texts) == translator.translate(texts)
    by_hand = Seq2Seq(again.model.encoder, again.model.decoder)
    with pytest.raises(UserError, match=r"nmt\.build\.build_model"):
        Translator(by_hand, again.tokenizer, search).save(tmp_path / "other.safetensors")


def test_training_mode_is_left_as_it_was(run: Run) -> None:
    model = run.translator.model
    model.train()
    model.encoder.eval()
    before = [module.training for module in model.modules()]
    first, second = (run.translator.translate(["a red bike"], beam_size=2)[0] for _ in range(2))
    run.translator.attention_map("a red bike")
    assert first == second, "dropout must be off"
    assert [module.training for module in model.modules()] == before
    model.eval()


def test_out_of_memory_names_batch_tokens(run: Run) -> None:
    class Full(BeamSearch):
        def __call__(self, *_: object, **__: object) -> list[list[Hypothesis]]:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    with pytest.raises(UserError, match=r"search\.batch_tokens: got 200, .*CUDA out of memory"):
        run.translator.translate(["a dog"], search=Full(batch_tokens=200))


def test_overrides_are_checked(run: Run) -> None:
    fields: dict[str, Any]
    for fields, message in (
        ({"beam_sise": 2}, r"^search\.beam_sise: unknown key; did you mean 'beam_size'"),
        ({"beam_size": 0}, r"search\.beam_size.*at least 1"),
        ({"search": "greedy"}, r"^search: got 'greedy', expected an object such as nmt\.search"),
    ):
        with pytest.raises(UserError, match=message):
            run.translator.translate(["a"], **fields)
        with pytest.raises(UserError, match=message):
            load_translator(run.folder, device="cpu", **fields)
    for name in ("gpuu", "meta", None):
        with pytest.raises(UserError, match=f"device={name}"):
            resolve_device(name)


def test_attention_map_of_the_hypothesis_and_of_a_reference(run: Run) -> None:
    found = run.translator.translate(["two men, in snow"])[0]
    seen = run.translator.attention_map("two men, in snow")
    assert seen.target == found.text and seen.axes("cross")[0] == found.pieces
    forced = run.translator.attention_map("two men, in snow", "a dog reads")
    ids = run.translator.tokenizer.encode_target(["a dog reads"])[0]
    assert seen.origin == Origin("tiny (Transformer)", 7, found.score, sum(found.token_log_probs))
    assert forced.target == "a dog reads" and forced.target_pieces[-1].label == "</s>" and ids[-1] == EOS
    for attention in (seen, forced):
        t, s = len(attention.target_pieces), len(attention.source_pieces)
        assert attention.cross is not None and attention.cross.shape == (2, 2, t, s)
        assert attention.encoder_self is not None and attention.encoder_self.shape == (2, 2, s, s)
        assert attention.decoder_self is not None and attention.decoder_self.shape == (2, 2, t, t)
        assert torch.allclose(attention.cross.sum(-1), torch.ones(2, 2, t), atol=1e-5)
        assert attention.decoder_self.triu(1).abs().max() == 0
    source = torch.tensor(run.translator.tokenizer.encode_source(["two men, in snow"]))
    target = torch.tensor([[BOS, *found.tokens[:-1]]])  # each row is the step that wrote its piece
    with torch.no_grad():
        _, weights = run.translator.model.eval()(source, torch.ones_like(source).bool(), target, need_weights=True)
    torch.testing.assert_close(seen.cross, weights.cross[0], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(seen.decoder_self, weights.decoder_self[0], rtol=1e-4, atol=1e-5)
    assert run.translator.attention_maps([]) == []
    with pytest.raises(UserError, match="empty"):
        run.translator.attention_map("  ")


def test_batches_by_length_covers_everything_once_within_the_budget() -> None:
    lengths = random.Random(0).choices(range(1, 40), k=200)
    for budget in (1, 39, 100, 10_000):
        batches = list(batches_by_length(lengths, budget))
        assert sorted(i for batch in batches for i in batch) == list(range(200))
        padded = [max(lengths[i] for i in batch) * len(batch) for batch in batches]
        assert all(size <= budget or len(batch) == 1 for size, batch in zip(padded, batches, strict=True))
    assert list(batches_by_length([], 10)) == []


def test_a_folder_or_a_file_is_loaded_and_its_search_is_changed_or_replaced(run: Run, tmp_path: Path) -> None:
    texts, stored = sentences(4, seed=5), run.translator.search
    expected = [t.text for t in run.translator.translate(texts)]
    for path in (run.folder, str(run.folder / "checkpoints" / "best.safetensors")):
        assert [t.text for t in load_translator(path, device="cpu").translate(texts)] == expected
    greedy = load_translator(run.folder, beam_size=1)
    assert greedy.search == BeamSearch(beam_size=1, max_length_factor=1.0, max_length_extra=4, batch_tokens=200)
    with pytest.raises(UserError, match="no such file"):
        load_translator(run.folder / "nothing")
    older = checkpoint.load(run.folder / "checkpoints" / "best.safetensors")  # without fields that were added later
    del older.config["search"]["n_best"], older.config["search"]["length_penalty"]
    checkpoint.save(older, tmp_path / "older.safetensors")
    assert load_translator(tmp_path / "older.safetensors", device="cpu").search == stored
    for changed in (
        load_translator(run.folder, device="cpu", length_penalty=0.5),
        load_translator(run.folder, device="cpu", search={"length_penalty": 0.5}),
    ):
        assert changed.search == stored.replace(length_penalty=0.5)
    node = {"_target_": "nmt.search.sampling.Sampling", "temperature": 0.7}
    for replaced in (
        load_translator(run.folder, device="cpu", search=node),
        load_translator(run.folder, device="cpu", search=Sampling(), temperature=0.7),
    ):
        assert replaced.search == Sampling(temperature=0.7)
    for given, message in (
        ({"device": "cpu"}, "search.device: unknown key"),
        (
            {"_target_": "nmt.search.base.Hypothesis", "tokens": [], "token_log_probs": [], "score": 1.0},
            "expected a class derived",
        ),
        ({"_target_": "nmt.search.base.Search"}, "abstract"),
        ({"_target_": "os.system"}, r"search._target_: got 'os.system', expected a class in nmt.search"),
    ):
        with pytest.raises(UserError, match=message):
            load_translator(run.folder, device="cpu", search=given)
