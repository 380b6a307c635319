"""The programs that translate, with an exported model: the same lines, scores and files as with the run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from nmt.cli import evaluate, export, score, translate
from nmt.config.yaml_files import groups
from nmt.errors import UserError
from tests.tiny_run import Run, make_run, sentences

PACKAGES = {"argos": "ctranslate2", "ctranslate2": "ctranslate2", "huggingface": "transformers", "onnx": "onnxruntime"}
POWER = ("search.normalization=power", "search.length_penalty=0.6")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="module")
def words(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[str]]:
    """The words of the command line for the model in a format, whose package has to be there."""

    @cache
    def exported(format: str) -> list[str]:
        pytest.importorskip(PACKAGES[format])
        out = tmp_path_factory.mktemp("out") / "model"
        exact = ["format.quantization=float32"] if format == "argos" else []
        export.main([f"ckpt={run.folder}", f"out={out}", f"format={format}", "sentences=5", *exact])
        return [f"ckpt={out}", f"engine={format}"]

    return exported


@pytest.fixture
def ctranslate2(words: Callable[[str], list[str]]) -> list[str]:
    return words("ctranslate2")


@pytest.fixture
def onnx(words: Callable[[str], list[str]]) -> list[str]:
    return words("onnx")


@pytest.fixture(params=groups()["export/format"])
def each(request: pytest.FixtureRequest, words: Callable[[str], list[str]]) -> list[str]:
    """Every format is an engine: those of configs/export/format, one after the other."""
    return words(request.param)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "lines.en"
    path.write_text("".join(f"{line}\n" for line in ["", *sentences(30, seed=8)]), "utf-8")
    return path


def test_a_file_has_the_same_lines(run: Run, each: list[str], lines: Path, tmp_path: Path) -> None:
    form = [f"input={lines}", "format=jsonl", "search.beam_size=1", *POWER]
    translate.main([f"ckpt={run.folder}", f"output={tmp_path / 'ours'}", *form])
    translate.main([*each, f"output={tmp_path / 'theirs'}", *form])
    ours, theirs = (
        [json.loads(line) for line in (tmp_path / name).read_text("utf-8").splitlines()] for name in ("ours", "theirs")
    )
    assert [row["text"] for row in ours] == [row["text"] for row in theirs]
    for one, two in zip(ours, theirs, strict=True):
        assert one["pieces"] == two["pieces"] and one["cut"] == two["cut"]
        assert two["token_log_probs"] == pytest.approx(one["token_log_probs"], abs=1e-4)
        assert two["score"] == pytest.approx(one["score"], abs=1e-4)


def test_scores_of_given_translations_are_the_same(run: Run, each: list[str], tmp_path: Path) -> None:
    files = [f"source={run.data / 'test.en'}", f"target={run.data / 'test.de'}"]
    score.main([f"ckpt={run.folder}", f"output={tmp_path / 'ours'}", *files])
    score.main([*each, f"output={tmp_path / 'theirs'}", *files])
    ours, theirs = ([*map(float, (tmp_path / name).read_text("utf-8").split())] for name in ("ours", "theirs"))
    assert theirs == pytest.approx(ours, abs=1e-3) and len(ours) == 12


def test_an_evaluation_is_written_beside_the_exported_model(
    run: Run, each: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate.main([*each, f"data.path={run.data}", "search.beam_size=1", "bootstrap=0"])
    evaluate.main([f"ckpt={run.folder}", "search.beam_size=1", "bootstrap=0", *POWER])
    said = capsys.readouterr().out
    bleu = [line.split()[1] for line in said.splitlines() if line.startswith("  BLEU")]
    assert len(bleu) == 2 and bleu[0] == bleu[1]
    assert list((Path(each[0].removeprefix("ckpt=")) / "translations").glob("test.beam1.*.scores.json"))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["search=sampling"], "^search: CTranslate2 has beam search only; leave search= out, or use the run itself$"),
        (["search.coverage_penalty=0.2"], r"^search\.coverage_penalty: got 0\.2, which CTranslate2 does not have"),
        (["format=jsonl", "with_attention=true"], "an exported model gives none"),
        (["search.beam_size=0"], r"^search\.beam_size: got 0"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_the_engine_lacks_is_refused(more: list[str], message: str, ctranslate2: list[str]) -> None:
    with pytest.raises(UserError, match=message):
        translate.main([*ctranslate2, "text=a dog", *more])


def test_search_greedy_is_greedy(each: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Its file divides by another power of the length, but one beam has nothing to compare."""
    said = []
    for more in ("search=greedy", "search.beam_size=1"):
        translate.main([*each, "text=a red dog", more, "search.max_length_factor=1", "search.max_length_extra=4"])
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != "\n"


def test_onnx_has_every_search_that_does_not_read_the_attention(onnx: list[str], lines: Path, tmp_path: Path) -> None:
    translate.main([*onnx, f"input={lines}", f"output={tmp_path / 'sampled'}", "search=sampling"])
    assert len((tmp_path / "sampled").read_text("utf-8").splitlines()) == 31
    with pytest.raises(UserError, match=r"^search\.coverage_penalty: it reads the attention"):
        translate.main([*onnx, "text=a dog", "search.coverage_penalty=0.2"])


def test_the_wrong_kind_of_folder_is_named(run: Run, ctranslate2: list[str], tmp_path: Path) -> None:
    folder = ctranslate2[0]
    with pytest.raises(UserError, match=r"add its format, as in engine=ctranslate2"):
        translate.main([folder, "text=a dog"])
    with pytest.raises(UserError, match=r"no exported model \(no export\.json in it\)"):
        translate.main([f"ckpt={run.folder}", "engine=ctranslate2", "text=a dog"])
    other = tmp_path / "other"
    shutil.copytree(folder.removeprefix("ckpt="), other)
    manifest = json.loads((other / "export.json").read_text("utf-8"))
    (other / "export.json").write_text(json.dumps({**manifest, "format": {"_target_": "os.path"}}), "utf-8")
    with pytest.raises(UserError, match=r"^format\._target_: got 'os\.path', expected a class in nmt\.export"):
        translate.main([f"ckpt={other}", "engine=ctranslate2", "text=a dog"])
    with pytest.raises(UserError, match=r"^engine=onnx: .* was written with format=ctranslate2"):
        translate.main([folder, "engine=onnx", "text=a dog"])
    with pytest.raises(UserError, match=r"got 2 models"):
        translate.main([f"ckpt=[{folder.removeprefix('ckpt=')},b]", "engine=ctranslate2", "text=a dog"])


def test_onnx_has_a_search_of_ones_own(
    onnx: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own_search.py").write_text("from nmt.search.beam import BeamSearch\nclass Own(BeamSearch): ...\n")
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "own.yaml").write_text("_target_: own_search.Own\nbeam_size: 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    said = []
    for more in (
        ["search=own", f"--config-dir={tmp_path}", "allow=[own_search]"],
        ["search=beam", "search.beam_size=2"],
    ):
        translate.main([*onnx, "text=a dog", *more])
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
