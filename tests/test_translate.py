"""Text in, text out: the Translator, the evaluation's files, and both programs, on a tiny untrained checkpoint."""

from __future__ import annotations

import copy
import io
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from nmt import checkpoint
from nmt.cli import evaluate as evaluate_program
from nmt.cli import translate as translate_program
from nmt.cli.arguments import overrides, take
from nmt.data.pair import SentencePair
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.evaluation import evaluate, one_line, write_evaluation
from nmt.metrics import score
from nmt.models.interface import BOS, EOS
from nmt.models.seq2seq import Seq2Seq, build_model
from nmt.settings import DataConfig, SearchConfig, TokenizerConfig
from nmt.translate import Translator, load_translator, plan_batches, resolve_device, target_limit

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
WORDS = ("a man woman dog two red blue shirt rides sees the bike in snow, and reads.").split()  # noqa: SIM905


def sentences(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, 12))) for _ in range(count)]


def layer(kind: str) -> dict[str, Any]:
    return {
        "_target_": f"nmt.models.transformer.Transformer{kind}",
        **{"layers": 2, "width": 16, "heads": 2, "feed_forward": 32, "activation": "relu", "norm": "layer"},
        **{"norm_first": True, "positions": "sinusoidal", "scale_scores": True, "embedding_dropout": 0.3},
        **{"residual_dropout": 0.3, "attention_dropout": 0.0, "feed_forward_dropout": 0.0},
    }


@dataclass(frozen=True)
class Run:
    """A run's folder with a checkpoint in it, and its data beside it."""

    folder: Path
    data: Path
    translator: Translator


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    root = tmp_path_factory.mktemp("runs")
    data, folder = root / "corpus", root / "a run (1), it's ours"
    data.mkdir()
    for split, count in (("train", 60), ("test", 12)):
        lines = sentences(count, seed=count)
        (data / f"{split}.en").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        (data / f"{split}.de").write_text("".join(f"{line[::-1]}\n" for line in lines), encoding="utf-8")
    settings = TokenizerConfig(type="bpe", vocab_size=330, joint=True, character_coverage=1.0)
    pairs = [SentencePair(line, line[::-1]) for line in sentences(60, seed=60)]
    tokenizer = Tokenizer.train(pairs, settings, cache_dir=None, say=lambda line: None)
    model_config = {"tie_embeddings": "all", "encoder": layer("Encoder"), "decoder": layer("Decoder")}
    search = SearchConfig(beam_size=3, length_penalty=1.0, max_length_factor=1.0, max_length_extra=4, batch_tokens=200)
    plain = {"model": model_config, "search": asdict(search), "data": data_config(data)}
    model = make_model(model_config, tokenizer)
    weights = checkpoint.with_prefix(model.state_dict())
    payload = {"state_dict": weights, "nmt": checkpoint.describe(plain, tokenizer, {}, 7)}
    checkpoint.save(payload, folder / "checkpoints" / "best.ckpt")
    checkpoint.save(payload, folder / "checkpoints" / "last.ckpt")
    return Run(folder, data, Translator(model, tokenizer, search))


def make_model(config: dict[str, Any], tokenizer: Tokenizer) -> Seq2Seq:
    sizes = {"source_vocab_size": tokenizer.source_vocab_size, "target_vocab_size": tokenizer.target_vocab_size}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        model = build_model(config, **sizes, joint=True)
        for weights in model.parameters():  # peaked distributions, so that rounding decides nothing
            torch.nn.init.normal_(weights, std=0.35)
    return model


def data_config(path: Path) -> dict[str, Any]:
    config = DataConfig(
        **{"kind": "files", "source_lang": "en", "target_lang": "de", "name": None, "config": None, "revision": None},
        **{"path": str(path), "train": None, "val": None, "test": None, "val_size": 10, "sizes": [10, 10, 10]},
        **{"topics": None, "max_parts": 1, "seed": 0, "limit": None, "max_length": 128, "max_ratio": 4.0},
        **{"batch_tokens": 500, "eval_batch_tokens": 500},
    )  # type: ignore[arg-type]
    return asdict(config)


# The Translator


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


def test_overrides_are_checked(run: Run) -> None:
    with pytest.raises(UserError, match=r"did you mean 'search\.beam_size'"):
        run.translator.translate(["a"], beam_sise=2)
    with pytest.raises(UserError, match=r"search\.beam_size.*at least 1"):
        run.translator.translate(["a"], beam_size=0)
    with pytest.raises(UserError, match="device=gpuu"):
        resolve_device("gpuu")


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


# The evaluation's files


def test_the_sacrebleu_program_gives_the_score_of_the_written_files(run: Run, tmp_path: Path) -> None:
    """With line breaks of every kind inside the texts."""
    sources = sentences(6, seed=6)
    targets = ["a\rdog ", "b\u2028c", "", "two\r\nmen\n", "\x85x\x0by", "a man."]
    pairs = [SentencePair(*pair) for pair in zip(sources, targets, strict=True)]
    found = evaluate(run.translator, pairs, bootstrap=20)
    written = write_evaluation(tmp_path, "test", found, source_lang="en", target_lang="de", data="a list")
    assert sorted(path.name for path in (tmp_path / "translations").iterdir()) == [
        *("test.beam3.lp1.hyp.de", "test.beam3.lp1.ref.de", "test.beam3.lp1.scores.json", "test.beam3.lp1.src.en")
    ]
    facts = json.loads(written.scores.read_text(encoding="utf-8"))
    words = [*facts["command"].split()[1:], "-w", "10"]
    done = subprocess.run(
        [sys.executable, "-m", "sacrebleu", *words], cwd=written.scores.parent, capture_output=True, check=True
    )
    bleu, chrf = json.loads(done.stdout)
    assert facts["bleu"] == pytest.approx(bleu["score"], abs=1e-8)
    assert facts["chrf"] == pytest.approx(chrf["score"], abs=1e-8)
    assert facts["sentences"] == 6 and facts["search"]["beam_size"] == 3 and "bs:20" in facts["signature"]


def test_evaluating_again_replaces_the_same_files_only(run: Run, tmp_path: Path) -> None:
    pairs = [SentencePair(line, line) for line in sentences(5, seed=8)]
    languages = {"source_lang": "en", "target_lang": "ko", "data": "a list"}
    found = evaluate(run.translator, pairs, tokenize="char")
    written = write_evaluation(tmp_path, "test", found, **languages)
    write_evaluation(tmp_path, "test", found, **languages, checkpoint="last")
    assert len(list((tmp_path / "translations").iterdir())) == 8
    written.hypothesis.write_text("what an older version made of it")
    write_evaluation(tmp_path, "test", found, **languages)
    other = write_evaluation(tmp_path, "test", evaluate(run.translator, pairs[:2], tokenize="char"), **languages)
    assert len(list((tmp_path / "translations").iterdir())) == 12, "other sentences replace nothing"
    greedy = load_translator(run.folder, device="cpu", beam_size=1)
    news = write_evaluation(tmp_path, "test", evaluate(greedy, pairs[:2], tokenize="char"), **languages)
    assert news.scores.name.count(".") == 5, "names without a digest are of the split's first sentences"
    assert len(other.hypothesis.read_text(encoding="utf-8").split("\n")) == 3
    assert len(written.hypothesis.read_text(encoding="utf-8").split("\n")) == 6
    assert "tok:char" in json.loads(written.scores.read_text(encoding="utf-8"))["signature"]
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(UserError, match="cannot be written"):
        write_evaluation(blocked, "test", found, **languages)


def test_one_text_is_not_a_list_of_letters(run: Run) -> None:
    with pytest.raises(UserError, match="expected a list of sentences"):
        run.translator.translate("a dog")


def test_one_line() -> None:
    assert one_line("a\r\nb\n\nc \n") == "a b c" and one_line(" a\u2028b") == " a\u2028b"


# The programs


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Another working folder, which must stay empty."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    yield folder
    assert list(folder.iterdir()) == []


def test_evaluate_program(run: Run, elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    relative = os.path.relpath(run.folder)
    evaluate_program.run([f"ckpt={relative}", "bootstrap=10", "search.length_penalty=0.5"])
    out = capsys.readouterr().out
    hypotheses = (run.folder / "translations" / "test.beam3.lp0.5.hyp.de").read_text(encoding="utf-8").splitlines()
    references = (run.data / "test.de").read_text(encoding="utf-8").splitlines()
    expected = score(hypotheses, references, bootstrap=10)
    assert f"{expected.bleu:.2f}" in out and expected.bleu_signature in out and expected.chrf_signature in out
    facts = json.loads((run.folder / "translations" / "test.beam3.lp0.5.scores.json").read_text(encoding="utf-8"))
    assert facts["bleu"] == expected.bleu and facts["search"]["length_penalty"] == 0.5
    translated = run.translator.translate(
        (run.data / "test.en").read_text(encoding="utf-8").splitlines(), length_penalty=0.5
    )
    assert hypotheses == [one_line(t.text) for t in translated]


def test_evaluate_program_on_other_data_from_a_lone_file(run: Run, tmp_path: Path, elsewhere: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "dev.tsv").write_text("a dog\tgod a\nred\tder\n", encoding="utf-8")
    lone = tmp_path / "lone.ckpt"
    lone.write_bytes((run.folder / "checkpoints" / "best.ckpt").read_bytes())
    words = ["split=val", "bootstrap=0", "search=greedy", "data.path=../other"]
    evaluate_program.run([f"ckpt={lone}", *words])
    lines = (tmp_path / "translations" / "val.lone.beam1.lp1.src.en").read_text(encoding="utf-8")
    assert lines == "a dog\nred\n"


def test_given_path_goes_before_the_runs_own_files() -> None:
    own = {"path": None, "train": "t.tsv", "val": None, "test": ["a", "b"], "limit": 3}
    merged = evaluate_program.merge_data(own, {"path": "p", "val": "v.tsv"})
    assert merged == {"path": "p", "train": None, "val": "v.tsv", "test": None, "limit": 3}
    assert evaluate_program.merge_data(own, {"test": "x"}) == {**own, "test": "x"}


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ([], "ckpt: not given"),
        (["ckpt=nothing"], "no such file"),
        (["ckpt={run}", "split=tests"], "did you mean 'test'"),
        (["ckpt={run}", "search.beam_sise=2"], "did you mean 'search.beam_size'"),
        (["ckpt={run}", "data.pth=x"], "did you mean 'data.path'"),
        (["ckpt={run}", "data.path=nothing"], "nothing"),
        (["ckpt={run}", "data=cldr"], "single settings"),
        (["ckpt={run}", "tokenize=13b"], "did you mean '13a'"),
        (["ckpt={run}", "bootstrap=-1"], "bootstrap"),
        (["ckpt={run}", "device=tpu9"], "device=tpu9"),
    ],
)
def test_evaluate_program_refuses(run: Run, elsewhere: Path, words: list[str], match: str) -> None:
    with pytest.raises(UserError, match=match):
        evaluate_program.run([word.format(run=run.folder) for word in words])


def feed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))


def test_translate_program_takes_text_verbatim(run: Run, elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'A man, in a "red" {shirt} [x], ${it}\'s = \\ a ~bike'
    translate_program.run([f"ckpt={run.folder}", f"text={text}"])
    assert capsys.readouterr().out == one_line(run.translator.translate([text])[0].text) + "\n"


def test_translate_program_lines_one_for_one(
    run: Run, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = ["a dog", "", "the\x0bsnow\u2028man", *sentences(5, seed=9), "no line end"]
    monkeypatch.setattr(translate_program, "CHUNK", 4)
    feed(monkeypatch, "\ufeff".encode() + "\r\n".join(texts).encode())
    translate_program.run([f"ckpt={run.folder}", "search.beam_size=2"])
    expected = [one_line(t.text) for t in run.translator.translate(texts, beam_size=2)]
    assert capsys.readouterr().out == "".join(f"{line}\n" for line in expected)


def test_translate_program_says_which_line_is_not_utf8(
    run: Run, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(monkeypatch, b"a dog\nthe snow\na \xe9\n")
    with pytest.raises(UserError, match=r"standard input, line 3: byte 0xe9"):
        translate_program.run([f"ckpt={run.folder}"])
    assert capsys.readouterr().out.count("\n") == 2, "the lines before it are answered"


def test_translate_program_draws_attention(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a map, (1).json"
    translate_program.run([f"ckpt={run.folder}", "text=two dogs", f"attention={path}"])
    target = json.loads(path.read_text(encoding="utf-8"))["target"]
    assert capsys.readouterr().out == one_line(target) + "\n"
    forced = tmp_path / "forced.json"
    translate_program.run([f"ckpt={run.folder}", "text=two dogs", "reference=zwei, Hunde", f"attention={forced}"])
    assert json.loads(forced.read_text(encoding="utf-8"))["target"] == "zwei, Hunde"
    for words, match in (
        (["text=a", f"attention={tmp_path}/map.gif"], "gif"),
        (["attention=map.png"], "text="),
        (["text=a", "reference=b"], "attention="),
        (["text=a", "words=true"], "attention="),
        (["text=a", f"attention={tmp_path}/map.png", "kind=self"], "kind: got 'self'"),
    ):
        with pytest.raises(UserError, match=match):
            translate_program.run([f"ckpt={run.folder}", *words])


def test_translate_program_draws_self_attention_and_words(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr("nmt.attention_map.save", lambda attention, path, **how: seen.append(how))
    translate_program.run([f"ckpt={run.folder}", "text=a dog", "attention=x.png", "kind=encoder_self", "words=true"])
    assert seen == [{"kind": "encoder_self", "words": True}]


def test_a_terminal_is_answered_line_by_line(run: Run) -> None:
    output, asked = io.StringIO(), []

    class Terminal(io.BytesIO):
        def __next__(self) -> bytes:
            asked.append(output.getvalue().count("\n"))
            return super().__next__()

    translate_program.translate_lines(run.translator, Terminal(b"a dog\nred\nsnow\n"), output, 1)
    assert asked == [0, 1, 2, 3]


def test_arguments() -> None:
    assert take(["a=1", "text=x=y", "b"], "text") == ("x=y", ["a=1", "b"])
    assert take(["a=1"], "text") == (None, ["a=1"])
    with pytest.raises(UserError, match="2 times"):
        take(["text=a", "text=b"], "text")
    with pytest.raises(UserError, match="UTF-8"):
        take(["text=\udce9"], "text")
    assert overrides(["ckpt=a'b\\", "seed=1"], open_keys=()) == [r"ckpt='a\'b\\'", "seed=1"]
    assert overrides(["data.path=x y", "data.limit=3"], open_keys=("data",)) == ["++data.path='x y'", "++data.limit=3"]
    assert overrides(["attention=null", "ckpt='x'"], open_keys=()) == ["attention=null", "ckpt='x'"]


def test_scripts_in_a_process_of_their_own(run: Run, elsewhere: Path) -> None:
    def script(name: str, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, "LC_ALL": "C", "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, str(SCRIPTS / name), *words]
        return subprocess.run(command, input=stdin, capture_output=True, env=environment, check=False)

    done = script("translate.py", f"ckpt={run.folder}", stdin=b"a dog\n\nsnow\n")
    expected = [one_line(t.text) for t in run.translator.translate(["a dog", "", "snow"])]
    assert (done.returncode, done.stdout.decode()) == (0, "".join(f"{line}\n" for line in expected)), done.stderr
    bad = script("evaluate.py", "ckpt=nowhere", "bootstrapp=1")
    assert bad.returncode == 2 and bad.stdout == b"" and bad.stderr.count(b"\n") == 1
    assert bad.stderr.startswith(b"error: bootstrapp: unknown key")
    for name in ("evaluate.py", "translate.py"):
        command = [sys.executable, "-X", "importtime", str(SCRIPTS / name), "--help"]
        help_page = subprocess.run(command, capture_output=True, text=True, check=True)
        assert "ckpt=PATH" in help_page.stdout
        assert not [word for word in ("torch", "hydra", "matplotlib") if f" {word}\n" in help_page.stderr]
