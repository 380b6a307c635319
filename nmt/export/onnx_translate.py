"""Translates lines with the model in this folder. It needs numpy, onnxruntime and sentencepiece only.

python translate.py < lines.en > lines.de
"""

import argparse
import json
import math
import sys
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import sentencepiece

PAD, BOS, EOS = 0, 2, 3


class Model:
    """The model in a folder. `encoder` reads a source; `step` reads the last token of each unfinished translation."""

    def __init__(self, folder: Path) -> None:
        self.settings = json.loads((folder / "export.json").read_text("utf-8"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # the work of a step is too small to be divided
        self.encoder = onnxruntime.InferenceSession(folder / "encoder.onnx", options)
        self.step = onnxruntime.InferenceSession(folder / "step.onnx", options)
        self.source = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
        self.target = sentencepiece.SentencePieceProcessor(model_file=str(folder / "target.spm"))
        self.inputs = {each.name for each in self.step.get_inputs()}
        self.changing = [each.name.removeprefix("next.") for each in self.step.get_outputs()[1:]]

    def translate(self, text: str, beam_size: int | None = None) -> str:
        """Return the best translation that a beam search finds. Raises ValueError for a text that is too long."""
        ids, longest = [*self.source.encode(plain(text)), EOS], self.settings["source_limit"]
        if self.settings["search"]["long_source"] != "whole":
            longest = min(longest, self.settings["config"]["data"]["max_length"])
        if len(ids) > longest:
            raise ValueError(f"got {len(ids)} tokens, expected at most {longest}; split it into sentences")
        found = self.search(ids, beam_size or self.settings["search"]["beam_size"]) if len(ids) > 1 else []
        return plain(self.target.decode([index for index in found if index > EOS]))

    def search(self, source: list[int], beam_size: int) -> list[int]:
        """Return the ids of the translation with the highest log P / length ** length_penalty."""
        settings, state = self.settings["search"], self.start(np.array([source]))
        penalty, limit = settings["length_penalty"], settings["max_length_factor"] * len(source)
        limit = min(max(1, math.floor(limit) + settings["max_length_extra"]), self.settings["target_limit"])
        ids, sums = np.full((1, 1), BOS), np.zeros(1, np.float32)  # unfinished translations, best first
        best, best_score, ended = ids[0], -math.inf, 0
        for length in range(1, limit + 1):
            log_probs, state = self.next(ids[:, -1], state)
            sums, parents, tokens = candidates(sums, log_probs, 2 * beam_size)
            ids = np.concatenate((ids[parents], tokens[:, None]), axis=1)
            for place in np.flatnonzero((tokens == EOS)[:beam_size] | (length == limit)):
                ended += 1
                if sums[place] / length**penalty > best_score:
                    best, best_score = ids[place], sums[place] / length**penalty
            kept = np.flatnonzero(tokens != EOS)[:beam_size]
            ids, sums, parents = ids[kept], sums[kept], parents[kept]
            if not len(kept) or best_score >= sums[0] / (length if ended >= beam_size else limit) ** penalty:
                break
            state = {name: each[parents] if name in self.changing else each for name, each in state.items()}
        return [int(index) for index in best]

    def start(self, source: Any) -> dict[str, Any]:
        """Return the state before the first token."""
        names = (each.name for each in self.encoder.get_outputs())
        return dict(zip(names, self.encoder.run(None, {"source": source, "mask": source != PAD}), strict=True))

    def next(self, tokens: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the log-probabilities (N, V) of what follows `tokens` (N,), and the next state."""
        given = {name: each for name, each in state.items() if name in self.inputs}
        log_probs, *changed = self.step.run(None, {"tokens": tokens, **given})
        log_probs[:, [PAD, BOS]] = -np.inf
        return log_probs, {**state, **dict(zip(self.changing, changed, strict=True))}


def candidates(sums: Any, log_probs: Any, count: int) -> tuple[Any, Any, Any]:
    """Return the highest sums of log-probabilities, best first, the places that they continue, and their tokens."""
    totals = (sums[:, None] + log_probs).ravel()
    chosen = np.argpartition(-totals, min(count, len(totals)) - 1)[:count]
    chosen = chosen[np.argsort(-totals[chosen], kind="stable")]
    chosen = chosen[totals[chosen] > -np.inf]
    return totals[chosen], *divmod(chosen, log_probs.shape[1])


def plain(text: str) -> str:
    """Return the text in Unicode NFC with single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beam-size", type=int, help="1: greedy search")
    options, model = parser.parse_args(), Model(Path(__file__).parent)
    if options.beam_size is not None and options.beam_size < 1:
        parser.error("--beam-size: expected 1 or more")
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")  # without a byte order mark
            sys.stdout.buffer.write((model.translate(text, options.beam_size) + "\n").encode())
        except ValueError as error:
            parser.exit(2, f"error: line {number}: {error}\n")
