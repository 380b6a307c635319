"""Mistakes in settings, from the command line or from a file: each is one clear line that names the key."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from nmt.config import compose as config
from nmt.config.settings import validate
from nmt.errors import UserError
from nmt.preflight import build_components


@pytest.fixture(scope="module")
def base() -> dict[str, Any]:
    """The default training config."""
    return config.compose("train")


def changed(values: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """Return a copy with one dotted key set, as a YAML file could."""
    copied = copy.deepcopy(values)
    *parents, last = key.split(".")
    node = copied
    for parent in parents:
        node = node[parent]
    node[last] = value
    return copied


def message(*overrides: str) -> str:
    """Return what is said about the overrides, by the composition or by the constructors."""
    with pytest.raises(UserError) as error:
        build_components(validate(config.compose("train", overrides)))
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (
            ["model=trnsformer"],
            "model: got 'trnsformer', expected one of hybrid, rnn, transformer; did you mean 'transformer'?",
        ),
        (["modle=rnn"], "modle: unknown key; did you mean 'model'?"),
        (["search.beam_sise=5"], "search.beam_sise: unknown key; did you mean 'search.beam_size'?"),
        (
            ["callbacks.extra.lr=1"],
            "unknown key; a + adds a name of your own: +callbacks.extra.lr=...",
        ),
        (
            ["data.more.web.train=x"],
            "data.more.web.train: unknown key; a + adds a name of your own: +data.more.web.train",
        ),
        (["model.positions.width=3"], "model.positions.width: unknown key"),
        (["optimizer.forech=true"], "optimizer.forech: unknown key; did you mean '+optimizer.foreach'?"),
        (["optimizer.betaa=[0,1]"], "optimizer.betaa: unknown key; did you mean 'optimizer.betas'?"),
        (["optimizer.foreach=true"], "the file leaves this parameter out, so a plus adds it: +optimizer.foreach=..."),
        (["search.beam=3"], "search.beam: unknown key; did you mean 'search.beam_size'?"),
        (["model=rnn", "model.attention=luong"], "model.attention: 'luong' is an option of a group; write model/"),
        (
            ["model=rnn", "model/attention=local_p", "model.attention.scores=cosine"],
            "model.attention.scores: 'cosine' is an option of a group; write "
            "model/attention@model.attention.scores=cosine",
        ),
        (
            ["model=rnn", "model/attention@model.attention.scores=cosine"],
            "use it with model/attention=local_m or model/attention=local_p",
        ),
        (["model=rnn", "model/atention=luong"], "model/atention: unknown key; did you mean 'model/attention'?"),
        (["beam_size=5"], "beam_size: unknown key; did you mean 'search.beam_size'?"),
        (["+data.lmit=3"], "data.lmit: unknown key; did you mean 'limit'?"),
        (["~seed"], "seed: missing; expected an integer of at least 0"),
        (["model=rnn,", "hybrid"], "got a space after 'model=rnn,'; write values without spaces: model=rnn,hybrid"),
        (["data.sizes=9,1,1"], "add -m to make one run for each value, or write a list as data.sizes=[a,b]"),
        (["experiment=demo", "model.attention.width=9"], "this model has no attention; use model=hybrid or model=rnn"),
        (["model/attention=bahdanau"], "model/attention: model=transformer has no attention to choose"),
        (["scores=[bleu]", "scores.chrf.word_order=2"], "choose it as well, as in scores=[bleu,chrf]"),
        (["scores=[]", "scores.chrf.word_order=2"], "scores.chrf.word_order: chrf is not chosen; add scores=chrf"),
        (
            ["data.filters.x=1"],
            "data.filters.x: unknown key, because data.filters is a list; set all of it, as in data",
        ),
        (["~optimizer.betas.0"], "optimizer.betas.0: unknown key, because optimizer.betas is a list; set all of it"),
        (
            ["++optimizer.betas.0=0.5"],
            "optimizer.betas.0: unknown key, because optimizer.betas is a list; set all of it",
        ),
        (["optimizer.betas.0=0.5"], "optimizer.betas.0: unknown key, because optimizer.betas is a list; set all of it"),
        (["data.filters=duplicate"], "symbols, shifted), as in data.filters=[duplicate]"),
        (["data.filters=[script,duplicat]"], "symbols, shifted); did you mean 'duplicate'?"),
        (
            ["experiment=demo_rnn", "model/positions=rotary"],
            "use model/positions with model=hybrid or model=transformer",
        ),
        (["model=transformer", "model/attention=luong"], "use model/attention with model=hybrid or model=rnn"),
        (["+model/attention=luong"], "write model/attention=luong, without +"),
        (["optimizer.fused=true", "trainer.precision=16-mixed"], "use optimizer.fused=false"),
        (["model=rnn", "model.decoder.attention.score=dot"], "a copy of ${model.attention}: set the key there"),
        (["+model.decoder.block.width=32"], "a copy of ${model.encoder.block}: set the key there"),
        (["model=rnn,hybrid"], "model=rnn,hybrid: several values for one run; add -m to make one run for each value"),
        (["experiment=null"], "; leave it out for the default"),
        (["hydra=1"], "hydra=1: hydra is a section, not a setting; set a key in it, as in hydra.run.dir=FOLDER"),
        (["++hydra.launcher=1"], "hydra.launcher is a section, not a setting; set a key in it"),
        (["hydra.job=${oc.env:HOME}"], "hydra.job is a section, not a setting; set a key in it"),
        (["~hydra.job"], "hydra.job is a section, not a setting; set a key in it"),
        (
            ["hydra.launcher.n_jobs=2"],
            "hydra.launcher.n_jobs: the chosen launcher has no such key; add one that has it",
        ),
        (["hydra/launcher=basic", "hydra.launcher.n_jobs=2"], "as in hydra/launcher=joblib"),
        (["+hydra.launcher.n_jobs=2"], "write hydra.launcher.n_jobs=2, without +"),
        (["++hydra.launcher.n_jobs=2"], "write hydra.launcher.n_jobs=2, without +"),
        (["+hydra.sweeper.params.seed=3"], "only Hydra's basic sweeper is supported; give values with commas, as in"),
        (["hydra.sweeper.params={seed:'1,2'}"], "only Hydra's basic sweeper is supported"),
        (["+name=mine"], "name: the config has this key already, and it needs a value; write name=..., without + or ~"),
        (["~name"], "write name=..., without + or ~"),
        (["+hydra.run.dir=there"], "write hydra.run.dir=..., without + or ~"),
        (["~hydra.sweep.subdir"], "write hydra.sweep.subdir=..., without + or ~"),
        (["hydra.run=1"], "Invalid type assigned: int"),
        (["hydra/launcher=null"], "hydra/launcher: got null, expected the name of an option"),
        (["hydra/launcher=[[basic]]"], "hydra/launcher: got [['basic']], expected the name of an option"),
        (["~scores=5"], "~scores=5: expected the name of an option behind =; use scores=OPTION to choose another"),
        (["~search=[1]"], "~search=[1]: expected the name of an option behind =; use search=OPTION"),
        (["~hydra/launcher=5"], "~hydra/launcher=5: expected the name of an option"),
        (["~scores=bleu"], "~scores=bleu: not chosen as one option, so it cannot be removed; to have fewer, list the"),
        (["~search=greedy"], "~search=greedy: not chosen as one option"),
        (["~data.path=x"], "~data.path: it is null already; leave it out"),
        (["~data.path"], "~data.path: it is null already; leave it out"),
        (["~data.pth"], "data.pth: unknown key; did you mean"),
        (["+experiment=demo"], "+experiment=demo: experiment is a group; write experiment=demo, without +"),
        (["++model=rnn"], "write model=rnn, without +"),
        (["~"], "got '~', expected key=value"),
        (["@x=1"], "got '@x=1', expected key=value"),
        (["+=1"], "got '+=1', expected key=value"),
        (["data.path=a(b"], "cannot read 'data.path=a(b'"),
        (["name=a(b"], "needs a second pair of quotes inside the quotes of the shell: name=\"'...'\""),
        (
            ["allow=[a(b]"],
            "each text in it with commas, quotes, brackets, braces or letters such as ä needs quotes of its",
        ),
        (["data.more={역번역: {train: a}}"], "each name before a colon needs letters of English, and no quotes"),
        (["data.more={'web': {train: a}}"], 'and no quotes: data.more="{name: ...}"'),
        (["+data.more.web={train: [ä]}"], "inside the quotes of the shell: +data.more.web=\"{train: ['...']}\""),
        (["rnn"], "got 'rnn', expected key=value"),
        (["data.name=???"], "data.name: not given; set data.name=..."),
        (["trainer.gradient_clip_val=nan"], "trainer.gradient_clip_val: got nan"),
        (
            ["experiment=multi30k_transformer", "trainer.val_check_interval=100"],
            "got 100 beside trainer.check_val_every_n_epoch=2, which leaves out the other epochs; add trainer",
        ),
        (["trainer.max_step=9"], "trainer.max_step: unknown key; did you mean 'trainer.max_steps'?"),
        (["trainer.epochs=9"], "trainer.epochs: unknown key; did you mean 'trainer.max_epochs'?"),
        (["trainer.foo=9"], "trainer.foo: unknown key; keys of trainer: max_epochs, max_steps, max_time"),
        (["epochs=9"], "epochs: unknown key; did you mean 'trainer.max_epochs'?"),
        (["batch_size=9"], "batch_size: unknown key; known keys: tokenizer, data"),
        (
            ["model=rnn", "model.layers=9"],
            "unknown key; did you mean 'model.encoder.layers' or 'model.decoder.layers'?",
        ),
        (["positions=rotary"], "positions: unknown key; did you mean 'model/positions'?"),
        (["+model.encoder.vocab_siz=9"], "model.encoder.vocab_siz: unknown key; TransformerEncoder takes layers,"),
        (["label_smoothing=0.2"], "label_smoothing: unknown key; did you mean 'objective.label_smoothing'?"),
        (["optimizer._target_=torch.load"], "optimizer._target_: got 'torch.load'"),
        (["hydra.run.dri=x"], "hydra.run.dri"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_each_mistake_on_the_command_line_is_one_clear_line(overrides: list[str], words: str) -> None:
    assert words in message(*overrides)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("seed", 1.5, "seed: got 1.5, expected an integer of at least 0"),
        ("seed", -1, "seed: got -1, expected an integer of at least 0"),
        ("seed", True, "seed: got true, expected an integer"),
        ("tokenizer.character_coverage", 1.5, "got 1.5, expected a number of at least 0.98 and at most 1"),
        ("data.max_ratio", float("nan"), "data.max_ratio: got nan"),
        ("data.limit", 0, "data.limit: got 0, expected an integer of at least 1 or null"),
        ("data.limit", "???", "data.limit: not given; set data.limit=..."),
        ("data.source_lang", False, "got false, expected text of at most 32 letters, digits, - and _; YAML reads"),
        ("data.target_lang", "x/../../thesis.tex", "data.target_lang: got 'x/../../thesis.tex', expected text of at"),
        ("data.target_lang", "de\n", r"data.target_lang: got 'de\n', expected text of at most 32 letters"),
        ("data.target_lang", "", "data.target_lang: got '', expected text of at most 32 letters"),
        ("data.target_lang", "d" * 33, "expected text of at most 32 letters, digits, - and _"),
        ("data.target_lang", "d" * 10_000, f"got '{'d' * 300}...', expected text"),
        ("data", [], "data: got [], expected a mapping of settings"),
        ("tokenizer.type", "unigrm", "got 'unigrm', expected one of unigram, bpe; did you mean 'unigram'?"),
        ("tokenizer.joint", "yes", "tokenizer.joint: got 'yes', expected true or false"),
        ("tokenizer.jiont", True, "tokenizer.jiont: unknown key; did you mean 'tokenizer.joint'?"),
        ("name", "a/b", "it names the run's folder"),
        ("name", "..", "it names the run's folder"),
        ("name", "x" * 201, "expected at most 200 letters"),
        ("trainer.max_time", "00:00:00:00", "got 00:00:00:00, expected at least 00:00:00:01, or null for no limit"),
        ("trainer.max_time", "3m", "got '3m', expected DD:HH:MM:SS; three minutes are 00:00:03:00"),
        ("trainer.max_steps", 0, "expected at least 1, or -1"),
        ("trainer.accelerator", "gpuu", "did you mean 'gpu'?"),
        ("trainer.strategy", "ddp_spawn", "trainer.strategy: got 'ddp_spawn', expected one of auto, ddp"),
        ("scores.bleu.tokenize", "13b", "scores.bleu.tokenize: got '13b', expected one of 13a"),
        ("scores", {}, "scores: got no metric"),
        ("trainer.devices", 10**9, "trainer.devices: got 1000000000, expected an integer of at least 1 and at most"),
        ("tokenizer.vocab_size", 10**9, "expected an integer of at least 8 and at most 1000000"),
        ("data.max_length", 10**9, "expected an integer of at least 2 and at most 1000000"),
        ("trainer.precision", "fp16", "trainer.precision: got 'fp16', expected one of auto, 32-true"),
        ("trainer.val_check_interval", 2.5, "got 2.5, expected an integer of at least 1 or a number of more than 0"),
        ("trainer.devices", 0, "trainer.devices: got 0, expected an integer of at least 1 and at most 1024"),
        ("trainer.devices", [], "trainer.devices: got [], expected the index of at least one device"),
        ("trainer.devices", [0, -1], "got [0, -1], expected"),
        ("trainer.strategy", 7, "trainer.strategy: got 7, expected one of auto, ddp"),
        ("tokenizer.type", 1, "tokenizer.type: got 1, expected one of unigram, bpe"),
        ("trainer.precision", 32, "trainer.precision: got 32, expected one of auto, 32-true"),
        ("model.encoder.block.heads", 3, "heads: got 3"),
        ("model.encoder.block.width", 0, "model.encoder.block.width: got 0, expected an integer of at least 1"),
        ("model.encoder.block.feed_forward", 0, "model.encoder.block.feed_forward: got 0, expected an integer of"),
        ("model.encoder.layers", 0, "model.encoder.layers: got 0, expected an integer of at least 1"),
        ("model.encoder.block.attention_dropout", 1.5, "model.encoder.block.attention_dropout: got 1.5, expected a"),
        ("model.decoder.block.feed_forward_dropout", -0.1, "model.decoder.block.feed_forward_dropout: got -0.1"),
        ("model.encoder.block.width", "x", "model.encoder.block.width: got 'x', expected an integer"),
        ("model.encoder.layerz", 2, "model.encoder.layerz: unknown key; did you mean 'layers'?"),
        ("model.tie_embedings", "all", "model.tie_embedings: unknown key; did you mean 'model.tie_embeddings'"),
        ("model.encoder", None, "model.encoder: got null, expected a mapping with _target_"),
        ("model.decoder", None, "model.decoder: got null, expected a mapping with _target_"),
        ("tokenizer.joint", False, "expected a joint vocabulary"),
        ("optimizer.lr", -1, "optimizer.lr: got -1, expected a finite number of at least 0"),
        ("optimizer.lr", float("inf"), "optimizer.lr: got inf, expected a finite number of at least 0"),
        ("optimizer.lr", "abc", "optimizer.lr: got 'abc', expected a number"),
        ("scheduler.final", 2, "scheduler.final: got 2"),
        ("search.max_length_extra", 10**9, "search.max_length_extra: got 1000000000, expected an integer of at least"),
        ("model.encoder.layers", 10**9, "model.encoder.layers: got 1000000000, expected an integer of at least 1"),
        ("model.encoder.block.heads", 10**9, "model.encoder.block.heads: got 1000000000, expected an integer"),
        ("model.encoder.block.width", 10**6, "model.encoder.block.width: got 1000000, expected an integer of"),
    ],
)
def test_each_mistake_in_the_values_is_one_clear_line(base: dict[str, Any], key: str, value: Any, words: str) -> None:
    with pytest.raises(UserError) as error:
        build_components(validate(changed(base, key, value)))
    assert words in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["model/positions=learned", "model.positions.max_length=100"], "model.positions.max_length: got 100"),
        (["model/positions=learned", "model.positions.max_length=0"], "model.positions.max_length: got 0, expected"),
        (["model/positions=relative", "model.positions.max_distance=x"], "model.positions.max_distance: got 'x'"),
        (["model/positions=alibi", "+model.positions.slope=2"], "model.positions.slope: unknown key; Alibi takes"),
        (["+model.positions.heads=2"], "model.positions.heads: the program sets this parameter; remove the key"),
        (["model.positions._partial_=false"], "model.positions._partial_: expected true, because the program adds"),
        (["+model.encoder._partial_=true"], "model.encoder._partial_: got true, expected no such key; remove it"),
        (["+model.encoder.block._partial_=true"], "model.encoder.block._partial_: got true, expected no such key"),
        (["+search._partial_=true"], "search._partial_: got true, expected no such key; remove it"),
        (["model/positions=rotary", "model.encoder.block.width=12"], "model.positions: rotary needs an even width"),
        (["model.encoder.positions=rotary"], "model.encoder.positions: got 'rotary', expected PositionsFactory"),
        (["model=rnn", "model/positions=alibi"], "use model/positions with model=hybrid or model=transformer"),
        (["model=rnn", "+model/positions=alibi"], "write model/positions=alibi, without +"),
        (["model=rnn", "+model.attention.query_width=7"], "model.attention.query_width: the program sets this"),
        (["model=rnn", "model.attention.width=0"], "model.attention.width: got 0, expected an integer of at least 1"),
        (["model=rnn", "+model.attention.wdith=9"], "model.attention.wdith: unknown key; did you mean"),
        (
            ["model=rnn", "model.attention._target_=nmt.models.rnn.RecurrentLayer"],
            "must take query_width, memory_width",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_in_parts_of_a_model_name_the_key_that_is_set(overrides: list[str], words: str) -> None:
    assert words in message(*overrides)


def test_problems_are_told_together() -> None:
    assert message("search.beam_sise=5", "sed=3").count("did you mean") == 2
    assert message("model.encoder.block.heads=3", "optimizer.lr=-1", "scheduler.final=2").count("; ") == 2


def test_values_of_several_fields_are_told_together(base: dict[str, Any]) -> None:
    broken = changed(changed(changed(base, "seed", -1), "data.limit", 0), "callbacks.patience", 3)
    del broken["trainer"]
    with pytest.raises(UserError) as error:
        validate(broken)
    for words in ("seed: got -1", "data.limit: got 0", "callbacks.patience: unknown key", "trainer: missing"):
        assert words in str(error.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (f"+objective.deep={'{a:' * 30}1{'}' * 30}", "got more than 20 levels of settings"),
        (f"data.limit={2**63}", "data.limit: got an integer of 64 bits, expected at most 63"),
        (f"objective.label_smoothing={10**40}", "objective.label_smoothing: got an integer of 133 bits"),
        (
            "data.path='a\0b'",
            r"data.path: got 'a\x00b', a text with the character NUL; in a pattern, write \x00 for it",
        ),
        ("data.path='a\\${x'", "data.path: got 'a${x', expected a value without ${...}"),
    ],
)
def test_values_that_no_setting_has_are_refused(words: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        config.compose_run([words])
    assert message in str(error.value) and "\n" not in str(error.value)


def test_mistakes_in_a_list_of_options() -> None:
    assert message("scores=[bleu,chff]") == (
        "scores: got 'chff', expected one of bleu, chrf, chrfpp, exact_match, length_ratio, multi30k, spans, "
        "ter, terms; did you mean 'chrf'?"
    )
    assert "expected one option, not a list" in message("model=[rnn]")
    assert "scores: got no metric" in message("scores=[]")
    assert "scores: got null" in message("scores=null")
