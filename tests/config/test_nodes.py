"""From a node to an object: what is let through, what is refused, and in which words."""

from __future__ import annotations

import subprocess
import sys
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import pytest
import torch

from nmt.config import nodes as module_under_test
from nmt.errors import ParameterError, UserError
from nmt.parameters import PositiveInt

if TYPE_CHECKING:
    from pathlib import Path

MODULE = "nmt.models.made_for_this_test"
WITHIN = ("nmt.models", "torch.optim")


def instantiate(config: Any, path: str, **more: Any) -> Any:
    return module_under_test.instantiate(config, path, **{"within": WITHIN, **more})


class Inner:
    def __init__(self, size: int, *, rate: float = 0.5) -> None:
        if size < 0:
            raise ParameterError("size", f"got {size}, expected at least 0")
        if size > 100:
            raise RuntimeError("no room")
        if size == 50:
            raise KeyError("fifty")
        self.size, self.rate = size, rate


class Outer:
    def __init__(
        self,
        inner: Inner | None,
        kind: Literal["dot", "general"] = "dot",
        pair: tuple[float, float] = (0.0, 1.0),
        flag: bool = False,
        name: str | None = None,
        *,
        vocab_size: int,
    ) -> None:
        if name == "ours":
            raise UserError("outer: a message of its own")
        self.inner, self.kind, self.pair, self.flag, self.vocab_size = inner, kind, pair, flag, vocab_size


class Open:
    def __init__(self, **anything: Any) -> None:
        raise AssertionError("must not be built")


class Odd:
    """Has an annotation that Python cannot read."""

    def __init__(self, count: PositiveInt = 1, where: Path | None = None, wrong: torch.nothing = None) -> None:
        self.values = (count, where, wrong)


@pytest.fixture(autouse=True)
def module(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    made = types.ModuleType(MODULE)
    for entry in (Inner, Outer, Open, Odd):
        monkeypatch.setattr(entry, "__module__", MODULE)
        setattr(made, entry.__name__, entry)
    made.Tensor = torch.Tensor  # type: ignore[attr-defined]
    made.load = torch.load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, MODULE, made)
    yield


def node(class_name: str, /, **values: Any) -> dict[str, Any]:
    return {"_target_": f"{MODULE}.{class_name}", **values}


def message(config: Any, **runtime: Any) -> str:
    with pytest.raises(UserError) as error:
        instantiate(config, "model.decoder", **runtime)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_builds_nodes_within_nodes_and_leaves_the_config_alone() -> None:
    config = node("Outer", inner=node("Inner", size=3), pair=[0, 0.5])
    before = repr(config)
    built = instantiate(config, "model", vocab_size=7)
    assert (built.inner.size, built.inner.rate, built.pair, built.vocab_size) == (3, 0.5, (0, 0.5), 7)
    assert repr(config) == before
    assert instantiate(node("Outer", inner=None), "model", vocab_size=7).inner is None


def test_partial_node_takes_the_other_arguments_later() -> None:
    partial = instantiate(node("Inner", _partial_=True, rate=0.1), "model")
    assert partial(size=5).size == 5 and partial(size=5).rate == 0.1
    with pytest.raises(UserError, match=r"^model\.size: got -1, expected at least 0$"):
        partial(size=-1)


@pytest.mark.parametrize(
    "target",
    [
        "torch.load",
        "os.system",
        "nmt.cli.train.main",
        "nmt.modelsevil.Thing",
        "nmt.models",
        "nmt.models.seq2seq.torch.load",
        "nmt.models.seq2seq.build_model",
        f"{MODULE}.Tensor",
        f"{MODULE}.load",
        "torch.optim.lr_scheduler.partial",
        7,
        None,
        ["torch.optim.Adam"],
    ],
)
def test_refuses_every_target_that_is_not_a_class_of_ours(target: Any) -> None:
    assert message({"_target_": target}).startswith("model.decoder._target_: ")


def test_a_package_of_ones_own_is_opened_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "strange.parts", types.ModuleType("strange.parts"))
    monkeypatch.setitem(sys.modules, "strange", types.ModuleType("strange"))
    own = type("Own", (Inner,), {"__module__": "strange.parts", "__init__": Inner.__init__})
    sys.modules["strange.parts"].Own = own  # type: ignore[attr-defined]
    config = {"_target_": "strange.parts.Own", "size": 3}
    assert "add allow=[strange]" in message(config)
    assert instantiate(config, "model", allow=["strange"]).size == 3
    assert "expected a class in" in message({"_target_": "stranger.parts.Own", "size": 3}, allow=["strange"])


def test_a_forbidden_module_is_not_even_imported() -> None:
    code = (
        "import sys; from nmt.config.nodes import instantiate; from nmt.errors import UserError\n"
        "try:\n    instantiate({'_target_': 'antigravity.Thing'}, 'model', within=['nmt.models'])\n"
        "except UserError:\n    pass\n"
        "else:\n    raise SystemExit('no error')\n"
        "assert 'antigravity' not in sys.modules and 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"vocab_size": 3}, "vocab_size: the program sets this parameter"),
        ({"nam": "x"}, "nam: unknown key; did you mean 'name'?"),
        ({"inner": {"_target_": f"{MODULE}.Inner", "sise": 3}}, "inner.sise: unknown key; did you mean 'size'?"),
        ({"inner": {"_target_": f"{MODULE}.Inner"}}, "inner.size: missing; Inner needs it"),
        ({"kind": "dott"}, "kind: got 'dott', expected one of dot, general"),
        ({"_partial_": 1}, "_partial_: got 1, expected true or false"),
        ({"inner": {"size": 3}}, "inner: got "),
        ({"pair": ["a", "b"]}, "pair: got "),
    ],
)
def test_a_wrong_key_is_told_with_its_dotted_name(changed: dict[str, Any], words: str) -> None:
    assert message(node("Outer", **{"inner": None, **changed}), vocab_size=7).startswith(f"model.decoder.{words}")


def test_a_node_of_another_kind_does_not_fit() -> None:
    config = node("Outer", inner={"_target_": "torch.optim.lr_scheduler.ConstantLR", "optimizer": None})
    assert message(config, vocab_size=7)
    assert "expected Inner or null" in message(node("Outer", inner=node("Odd")), vocab_size=7)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (None, "model.decoder: got null, expected a mapping with _target_"),
        (node("Iner", size=1), "did you mean 'Inner'?"),
        ({"_target_": "nmt.models.seq2sec.Seq2Seq"}, "cannot find the module nmt.models.seq2sec"),
        (node("Open", whatever=1), "model.decoder.whatever: unknown key; Open takes nothing"),
        (node("Inner", size=101), "model.decoder: no room"),
        (node("Inner", size=50), "model.decoder: KeyError: 'fifty'"),
    ],
)
def test_a_mistake_is_told_with_its_place(config: Any, words: str) -> None:
    assert words in message(config)


def test_a_mistake_of_a_node_that_gets_values_of_the_program() -> None:
    assert message(node("Inner", wrong=1), vocab_size=7, width=3) == (
        "model.decoder._target_: the constructor of Inner must take vocab_size, width"
    )
    assert message(node("Outer", inner=node("Inner", size=-1)), vocab_size=7).startswith("model.decoder.inner.size: ")
    assert message(node("Outer", inner=None, name="ours"), vocab_size=7) == "outer: a message of its own"


def test_without_annotations_that_python_can_read_every_value_fits() -> None:
    assert instantiate(node("Odd", count=2, where="x", wrong=1), "x").values == (2, "x", 1)
