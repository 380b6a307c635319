"""Text in, text out: the Translator."""

from __future__ import annotations

import copy
import random

import pytest
import torch

from nmt.config.settings import SearchConfig
from nmt.errors import UserError
from nmt.special import BOS, EOS
from nmt.translate import load_translator, plan_batches, resolve_device, target_limit
from tests.tiny_run import Run, sentences


def test_one_for_one_in_order_in_any_batch(run: Run) -> None:
    texts = ["", *sentences(30, seed=1), " \t ", "two dogs\nin snow", "\u00a0"]
    together = run.translator.translate(texts)
    assert [t.source for t in together] == texts
    alone = [run.translator.translate([text])[0] for text in texts]
    tiny = run.translator.translate(texts, batch_tokens=1)
    for other in (alone, tiny, run.translator.translate(texts[::-1])[::-1]):
        assert [t.tokens for t in other] == [t.tokens for t in together]
        assert [t.score for t in other] == pytest.approx([t.score for t in together], abs=1e-4)
    for empty in (together[0], together[31], together[33]):
        assert (empty.text, empty.tokens, empty.pieces, empty.score) == ("", [], [], 0.0)
    assert any(t.text for t in together)


def test_a_translation_is_consistent_with_the_forced_model(run: Run) -> None:
    model, tokenizer = run.translator.model, run.translator.tokenizer
    for found in run.translator.translate(sentences(5, seed=2)):
        assert len(found.tokens) == len(found.token_log_probs) == len(found.pieces)
        assert found.text == tokenizer.decode_target(found.tokens)
        length = len(found.tokens)
        assert found.score == pytest.approx(sum(found.token_log_probs) / ((5 + length) / 6), abs=1e-4)
        source = torch.tensor(tokenizer.encode_source([found.source]))
        model.eval()
        hidden, _ = model(source, torch.ones_like(source).bool(), torch.tensor([[BOS, *found.tokens[:-1]]]))
        forced = model.decoder.output(hidden).log_softmax(-1)[0, range(length), found.tokens]
        assert found.token_log_probs == pytest.approx(forced.tolist(), abs=1e-3)


def test_limits_come_from_each_sentence_itself(run: Run) -> None:
    for found in run.translator.translate(sentences(20, seed=3), max_length_factor=0.5, max_length_extra=0):
        pieces = len(run.translator.tokenizer.encode_source([found.source])[0])
        assert 1 <= len(found.tokens) <= max(1, pieces // 2)
    assert (
        target_limit(
            1, SearchConfig(beam_size=1, length_penalty=0.0, max_length_factor=0.1, max_length_extra=0, batch_tokens=1)
        )
        == 1
    )


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


def test_a_memory_that_is_too_small_names_its_setting(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr("nmt.translate.search", full)
    with pytest.raises(UserError, match=r"search\.batch_tokens: got 200, .*CUDA out of memory"):
        run.translator.translate(["a dog"])


def test_overrides_are_checked(run: Run) -> None:
    with pytest.raises(UserError, match=r"did you mean 'search\.beam_size'"):
        run.translator.translate(["a"], beam_sise=2)
    with pytest.raises(UserError, match=r"search\.beam_size.*at least 1"):
        run.translator.translate(["a"], beam_size=0)
    for name in ("gpuu", "meta"):
        with pytest.raises(UserError, match=f"device={name}"):
            resolve_device(name)


def test_attention_map_of_the_hypothesis_and_of_a_reference(run: Run) -> None:
    found = run.translator.translate(["two men, in snow"])[0]
    seen = run.translator.attention_map("two men, in snow")
    assert seen.target == found.text and list(seen.target_pieces) == found.pieces
    forced = run.translator.attention_map("two men, in snow", "a dog reads")
    ids = run.translator.tokenizer.encode_target(["a dog reads"])[0]
    assert forced.target == "a dog reads" and forced.target_pieces[-1] == "</s>" and ids[-1] == EOS
    for attention in (seen, forced):
        t, s = len(attention.target_pieces), len(attention.source_pieces)
        assert attention.cross is not None and attention.cross.shape == (2, 2, t, s)
        assert attention.encoder_self is not None and attention.encoder_self.shape == (2, 2, s, s)
        assert attention.decoder_self is not None and attention.decoder_self.shape == (2, 2, t, t)
        assert torch.allclose(attention.cross.sum(-1), torch.ones(2, 2, t), atol=1e-5)
        assert attention.decoder_self.triu(1).abs().max() == 0
    with pytest.raises(UserError, match="empty"):
        run.translator.attention_map("  ")


def test_a_row_of_the_attention_map_is_the_step_that_wrote_its_piece(run: Run) -> None:
    model, tokenizer = copy.deepcopy(run.translator.model).eval(), run.translator.tokenizer
    found = run.translator.translate(["two men, in snow"])[0]
    seen = run.translator.attention_map("two men, in snow")
    source = torch.tensor(tokenizer.encode_source(["two men, in snow"]))
    assert len(found.tokens) > 2 and seen.cross is not None and seen.decoder_self is not None
    with torch.no_grad():
        state = model.decoder.init_state(model.encoder(source, torch.ones_like(source).bool()))
        for place, token in enumerate([BOS, *found.tokens[:-1]]):
            _, weights, state = model.decoder.step(torch.tensor([token]), state, need_weights=True)
            assert weights is not None and weights.cross is not None and weights.decoder_self is not None
            torch.testing.assert_close(seen.cross[:, :, place], weights.cross[0, :, :, 0], rtol=1e-4, atol=1e-5)
            own = weights.decoder_self[0, :, :, 0]
            torch.testing.assert_close(seen.decoder_self[:, :, place, : place + 1], own, rtol=1e-4, atol=1e-5)


def test_plan_batches_covers_everything_once_within_the_budget() -> None:
    lengths = random.Random(0).choices(range(1, 40), k=200)
    for budget in (1, 39, 100, 10_000):
        batches = list(plan_batches(lengths, budget))
        assert sorted(i for batch in batches for i in batch) == list(range(200))
        padded = [max(lengths[i] for i in batch) * len(batch) for batch in batches]
        assert all(size <= budget or len(batch) == 1 for size, batch in zip(padded, batches, strict=True))
    assert list(plan_batches([], 10)) == []


def test_load_translator_from_folder_and_file(run: Run) -> None:
    texts = sentences(4, seed=5)
    expected = [t.text for t in run.translator.translate(texts)]
    for path in (run.folder, str(run.folder / "checkpoints" / "last.ckpt")):
        assert [t.text for t in load_translator(path, device="cpu").translate(texts)] == expected
    greedy = load_translator(run.folder, beam_size=1)
    assert greedy.search.beam_size == 1 and greedy.search.batch_tokens == 200
    with pytest.raises(UserError, match="no such file"):
        load_translator(run.folder / "nothing")


def test_one_text_is_not_a_list_of_letters(run: Run) -> None:
    with pytest.raises(UserError, match="expected a list of sentences"):
        run.translator.translate("a dog")
