"""Write nmt/deploy/export/splitter.onnx, the sentence splitter of an Argos package; needs `pip install onnx`.

  python scripts/recipes/sentence_splitter.py

Argos Translate reads a splitter in the format of MiniSBD: the class of each character is 2 where a sentence ends, and 0
elsewhere. Ours has no weights. It is the rule of nmt/text/sentences.py as a graph, for the usual letters and
marks, and without abbreviations.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from nmt.cli.program import program
from nmt.errors import UserError
from nmt.system.atomic import write_atomically

OUT = Path(__file__).resolve().parents[2] / "nmt/deploy/export/splitter.onnx"
CLASSES = {
    "space": " ",
    "stop": ".",
    "mark": "!?…‼⁇؟۔।॥",  # noqa: RUF001
    "wide": "。！？．｡",  # noqa: RUF001
    "closing": "\"')]}”’»›）］｝」』】》〉",  # noqa: RUF001
    "digit": "0123456789",
    "lower": "".join(filter(str.islower, map(chr, (*range(0x61, 0x180), *range(0x3AC, 0x3CF), *range(0x430, 0x460))))),
}


class Graph:
    """The nodes of a graph over characters (sentences B, characters T). Values are 0.0 and 1.0."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        name = f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def constant(self, *values: int | float) -> str:
        """Add a vector and return its name."""
        name, kind = f"c{len(self.constants)}", TensorProto.FLOAT if isinstance(values[0], float) else TensorProto.INT64
        self.constants.append(helper.make_tensor(name, kind, [len(values)], values))
        return name

    def either(self, *names: str) -> str:
        """Return whether one of the values is 1."""
        return self.node("Max", *names)

    def both(self, *names: str) -> str:
        """Return whether all values are 1."""
        first, *others = names
        for other in others:
            first = self.node("Mul", first, other)
        return first

    def no(self, name: str) -> str:
        """Return whether the value is 0."""
        return self.node("Sub", self.constant(1.0), name)

    def after(self, name: str, count: int = 1) -> str:
        """Return the value of the character `count` places later, 0 beyond the end."""
        padded = self.node("Pad", name, self.constant(0, 0, 0, count))
        return self.node("Slice", padded, self.constant(count), self.constant(2**31), self.constant(1))

    def before(self, name: str, count: int = 1) -> str:
        """Return the value of the character `count` places earlier, 0 before the start."""
        padded = self.node("Pad", name, self.constant(0, count, 0, 0))
        return self.node("Slice", padded, self.constant(0), self.constant(-count), self.constant(1))

    def closed(self, mark: str, closing: str) -> str:
        """Return whether a mark, or one of the next two characters that close something behind it, is here."""
        one = self.both(closing, self.before(mark))
        return self.either(mark, one, self.both(closing, self.before(one)))


def ids() -> dict[str, int]:
    """Return the id of each character; those of a class are neighbours."""
    return {unit: index for index, unit in enumerate(["<PAD>", "<UNK>", *"".join(CLASSES.values())])}


def model() -> bytes:
    """Return the file."""
    graph = Graph()
    known = ids()
    found = {}
    for name, characters in CLASSES.items():
        low, high = graph.constant(known[characters[0]] - 1), graph.constant(known[characters[-1]] + 1)
        inside = graph.node("And", graph.node("Greater", "units", low), graph.node("Less", "units", high))
        found[name] = graph.node("Cast", inside, to=TensorProto.FLOAT)
    capital = graph.node("Squeeze", "features", graph.constant(2))
    end = _ends(graph, found, graph.either(found["lower"], capital))
    nothing = graph.both(end, graph.no(end))
    three = [graph.node("Unsqueeze", each, graph.constant(2)) for each in (graph.no(end), nothing, end)]
    graph.nodes.append(helper.make_node("Concat", three, ["output"], axis=2))
    units = helper.make_tensor_value_info("units", TensorProto.INT64, ["b", "t"])
    features = helper.make_tensor_value_info("features", TensorProto.FLOAT, ["b", "t", 1])
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, ["b", "t", 3])
    built = helper.make_model(
        helper.make_graph(graph.nodes, "splitter", [units, features], [output], graph.constants),
        opset_imports=[helper.make_opsetid("", 13)],
        ir_version=8,
        producer_name="nmt-attention-lab",
    )
    config = {"feat_funcs": ["capitalized"], "batch_size": 32, "max_seqlen": 1000}
    for key, value in {"config": config, "vocab": {"_unit2id": known}, "lexicon": None}.items():
        built.metadata_props.add(key=key, value=json.dumps(value, ensure_ascii=False))
    onnx.checker.check_model(built)
    return bytes(built.SerializeToString(deterministic=True))


def _ends(graph: Graph, found: dict[str, str], letter: str) -> str:
    """Return whether a sentence ends with the character."""
    word = graph.either(letter, found["digit"])
    two_digits = graph.both(graph.before(found["digit"], 2), graph.no(graph.before(word, 3)))
    short_number = graph.both(graph.before(found["digit"]), graph.either(graph.no(graph.before(word, 2)), two_digits))
    initial = graph.both(graph.before(letter), graph.no(graph.before(word, 2)))
    ends_nothing = graph.both(graph.either(short_number, initial), graph.no(graph.after(found["stop"])))
    mark = graph.either(found["mark"], graph.both(found["stop"], graph.no(ends_nothing)))
    narrow = graph.both(
        graph.closed(mark, found["closing"]), graph.after(found["space"]), graph.no(graph.after(found["lower"], 2))
    )
    goes_on = graph.after(graph.either(found["closing"], found["wide"]))
    return graph.either(narrow, graph.both(graph.closed(found["wide"], found["closing"]), graph.no(goes_on)))


@program
def main(arguments: list[str]) -> None:
    """Write the splitter."""
    if arguments:
        raise UserError(f"got '{' '.join(arguments)}', expected nothing; see --help")
    write_atomically(OUT, model())
    print(f"written to {OUT}")


if __name__ == "__main__":
    main()
