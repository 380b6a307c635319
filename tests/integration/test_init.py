"""A run that starts from the weights of another one."""

import pytest
import torch
import yaml

from nmt import load_translator
from nmt.build import build_objects
from nmt.cli import train as train_program
from nmt.config.compose import compose_run
from nmt.errors import UserError
from nmt.system.run_files import best_checkpoint
from nmt.training.run import train
from tests.integration.small_training import SMALL_TRANSFORMER, best, last

OVERRIDES = [
    *("data=cldr", "data.sizes=[60,4,4]", "data.max_parts=1", "data.batch_tokens=200", "tokenizer.vocab_size=360"),
    *(*SMALL_TRANSFORMER, "trainer.accelerator=cpu", "trainer.max_steps=2", "search.beam_size=1"),
    *("search.max_length_factor=1", "search.max_length_extra=0", "logger.tensorboard=false"),
    *("callbacks=plain", "callbacks.checkpointing.average_last=0"),
]


def go(folder, *more):
    recipe = compose_run([*OVERRIDES, *more, f"hydra.run.dir={folder}"])
    train(recipe, build_objects(recipe.settings))
    return last(folder)


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    folder = tmp_path_factory.mktemp("first") / "run"
    go(folder)
    return folder


def test_init_takes_the_weights_and_a_new_optimizer(first, tmp_path):
    """A learning rate of almost 0 leaves the weights where they began; the pairs are others."""
    begun = best(first)
    swapped = ("data.source_lang=de", "data.target_lang=en")
    ended = go(tmp_path / "second", f"init={first}", "seed=2", "optimizer.lr=1e-12", *swapped)
    assert ended["nmt"]["tokenizer"]["source"] == begun.tokenizer.source_model
    assert ended["nmt"]["config"]["init"] == str(first)
    for name, weight in begun.weights.items():
        torch.testing.assert_close(ended["state_dict"][f"model.{name}"], weight, atol=1e-8, rtol=0)
    assert ended["global_step"] == 2, "updates are counted anew"


def test_embeddings_begin_with_the_training_pairs(first, tmp_path):
    usual, begun = (
        go(tmp_path / word, f"embeddings={word}", "optimizer.lr=1e-12")["state_dict"]
        for word in ("random", "cooccurrence")
    )
    changed = {name for name in usual if not torch.allclose(usual[name], begun[name], atol=1e-8)}
    tied = ("encoder.embed.table", "decoder.embed.table", "decoder.output")
    assert changed == {f"model.{name}.weight" for name in tied}
    for words in ("model.tie_embeddings=target", f"init={first}"):
        with pytest.raises(UserError, match="embeddings: got cooccurrence, which needs one table"):
            go(tmp_path / "third", "embeddings=cooccurrence", words)


def test_a_run_begins_from_parts_with_a_new_vocabulary_and_more_validation(first, tmp_path, caplog):
    caplog.set_level("INFO")
    (tmp_path / "val.tsv").write_text("January\tJanuar\nMay\tMai\n", "utf-8")
    begun, folder = best(first).weights, tmp_path / "second"
    settings = ("init_tokenizer=new", "tokenizer.vocab_size=370", "model.encoder.layers=2")
    more = (f"data.more_val={{old: {{path: {tmp_path}}}}}", "freeze=[encoder.layers.0]", "optimizer.lr=0.1")
    ended = go(folder, f"init={first}", "init_parts=[encoder,decoder]", *settings, *more)
    frozen = [name for name in begun if name.startswith("encoder.layers.0.")]
    assert frozen and all(torch.equal(ended["state_dict"][f"model.{name}"], begun[name]) for name in frozen)
    trained = len(ended["optimizer_states"][0]["state"])
    assert trained == len(ended["state_dict"]) - 2 - len(frozen)  # two tables are tied
    lines = [line for line in caplog.messages if line.startswith("validation: ")]
    assert lines[0].startswith("validation: before the first update, update 0:") and ", old BLEU " in lines[0]
    assert lines[-1].startswith("validation: epoch 1, update 2:") and ", old BLEU " in lines[-1]
    assert load_translator(folder).tokenizer.source_vocab_size == 370
    with pytest.raises(UserError, match="init: got nothing, expected a run folder"):
        go(tmp_path / "third", "init_parts=[encoder]")


@pytest.mark.slow
def test_a_saved_translator_says_what_its_tokenizer_is(first, tmp_path):
    """`Translator.save` knows no settings of the tokenizer."""
    settings = ("tokenizer=bpe", "tokenizer.joint=false", "tokenizer.vocab_size=400", "model.tie_embeddings=target")
    go(tmp_path / "apart", *settings)
    load_translator(tmp_path / "apart").save(file := tmp_path / "model.safetensors")
    with pytest.raises(UserError, match=r"add tokenizer\.type='bpe' tokenizer\.joint=false, or init_tokenizer=new$"):
        go(tmp_path / "second", f"init={file}", "model.tie_embeddings=target")
    load_translator(first).save(file)
    go(tmp_path / "third", f"init={file}")


def test_a_debug_run_has_the_model_and_the_tokenizer_of_the_checkpoint(first, tmp_path, caplog):
    """The debug option chooses a small vocabulary, and the default model is larger than that of the checkpoint."""
    caplog.set_level("INFO")
    words = [*OVERRIDES[:4], *OVERRIDES[9:], "debug=fast", f"init={first}", "trainer.max_steps=1"]
    train_program.main([*words, f"hydra.run.dir={tmp_path / 'second'}"])
    begun, ended = (last(run)["nmt"] for run in (first, tmp_path / "second"))
    assert ended["tokenizer"] == begun["tokenizer"]
    assert all(ended["config"][section] == begun["config"][section] for section in ("model", "tokenizer"))
    assert f"init: the weights of {best_checkpoint(first)}, update 2, and its model, tokenizer and spans" in caplog.text


def test_cfg_shows_the_model_and_the_tokenizer_of_the_checkpoint(first, capsys):
    train_program.main(["--cfg", "job", "data=cldr", "debug=fast", f"init={first}"])
    shown, begun = yaml.safe_load(capsys.readouterr().out), last(first)["nmt"]["config"]
    assert all(shown[section] == begun[section] for section in ("model", "tokenizer", "spans"))
    assert shown["trainer"]["max_steps"] == 2


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["tokenizer.vocab_size=350"], r"; add tokenizer\.vocab_size=360, or init_tokenizer=new$"),
        (["model=rnn"], r"^init=.*: its weights do not fit this model"),
    ],
)
def test_typed_settings_that_do_not_fit(first, tmp_path, more, message):
    words = [*OVERRIDES[:4], "debug=fast", f"init={first}", *more, f"hydra.run.dir={tmp_path / 'second'}"]
    with pytest.raises(UserError, match=message):
        train_program.main(words)


def test_a_vocabulary_for_each_language_keeps_its_side(tmp_path):
    go(tmp_path / "first", "tokenizer.joint=false", "model.tie_embeddings=target", "tokenizer.vocab_size=340")
    more = ("tokenizer.joint=false", "model.tie_embeddings=target", "tokenizer.vocab_size=340")
    with pytest.raises(UserError, match=r"^init=.*: it translates en to de with a vocabulary for each language; got"):
        go(tmp_path / "second", f"init={tmp_path / 'first'}", *more, "data.source_lang=de", "data.target_lang=en")
