"""A translator that computes in Hugging Face transformers with an exported folder."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import safetensors
import torch
from torch import Tensor

from nmt.data.batches import pad
from nmt.errors import UserError
from nmt.export.base import EngineTranslator, require_packages, within_limits
from nmt.search.base import Hypothesis, Search
from nmt.search.beam import BeamSearch
from nmt.tokens import BOS, EOS, PAD
from nmt.translation.base import Request
from nmt.translation.loading import resolve_device
from nmt.translation.source import ForcedPair

ROWS = 256  # hypotheses in a call: transformers computes all of them until the last one has ended


class HuggingFaceTranslator(EngineTranslator):
    """Translates in transformers with the files of a folder alone: their model, their tokenizer, their search.

    Raises UserError if the package is missing or the files are damaged.
    """

    engine = "transformers"

    def __init__(self, folder: Path, *, device: str = "cpu", **options: Any) -> None:
        require_packages("huggingface", "transformers", extra="huggingface")
        super().__init__(folder, **options)
        self.model, self._their_tokenizer = _load(folder)
        self.model.to(resolve_device(device))

    @property
    def device_type(self) -> str:
        return str(self.model.device.type)

    def source_ids(self, read: Sequence[str]) -> list[list[list[int]]]:
        """Return for each text, with all its marks, the ids that their tokenizer gives."""
        found = self._their_tokenizer(list(read), verbose=False)["input_ids"] if read else []
        return [[ids] for ids in found]

    @torch.inference_mode()
    def search_batch(self, requests: Sequence[Request], search: Search) -> list[list[Hypothesis]]:
        """Return the hypotheses of a beam search in transformers, best first.

        transformers needs prefixes of one length in a call. It is faster with few sentences of similar lengths.
        """
        beam, found = self.plain_beam(search), dict[int, list[Hypothesis]]()
        alike = sorted(range(len(requests)), key=lambda place: (len(requests[place].prefix), requests[place].limit))
        for _, group in groupby(alike, key=lambda place: len(requests[place].prefix)):
            places, count = list(group), max(1, ROWS // beam.beam_size)
            for start in range(0, len(places), count):
                some = places[start : start + count]
                several = within_limits(
                    [requests[place] for place in some], lambda few, limit: self._search(few, beam, limit)
                )
                found |= zip(some, several, strict=True)
        return [found[place] for place in range(len(requests))]

    def _search(self, requests: Sequence[Request], beam: BeamSearch, limit: int) -> list[list[Hypothesis]]:
        prefix = len(requests[0].prefix)
        rows = self.model.generate(
            **self._sources([request.part.ids[0] for request in requests]),
            decoder_input_ids=self._padded([[BOS, *request.prefix] for request in requests]),
            do_sample=False,
            num_beams=beam.beam_size,
            num_return_sequences=beam.n_best,
            length_penalty=beam.length_penalty if beam.beam_size > 1 else 1.0,  # it warns of what has no effect
            early_stopping=False,
            min_new_tokens=max(0, beam.min_length - 1 - prefix),  # without eos
            no_repeat_ngram_size=beam.no_repeat_ngram_size,
            max_new_tokens=limit - prefix,
            suppress_tokens=[PAD, BOS],
        )
        tokens = [_until_eos(row[1:]) for row in rows.tolist()]
        sources = [request.part.ids[0] for request in requests for _ in range(beam.n_best)]
        log_probs = [each.tolist() for each in self._log_probs(sources, tokens)]
        found = [Hypothesis(*each, beam.normalized(each[1])) for each in zip(tokens, log_probs, strict=True)]
        return [found[start : start + beam.n_best] for start in range(0, len(found), beam.n_best)]

    def token_log_probs(self, pairs: Sequence[ForcedPair]) -> list[Tensor]:
        return self._log_probs([pair.source.ids[0] for pair in pairs], [pair.ids for pair in pairs])

    @torch.inference_mode()
    def _log_probs(self, sources: Sequence[list[int]], targets: Sequence[list[int]]) -> list[Tensor]:
        inputs = self._padded([[BOS, *ids[:-1]] for ids in targets])
        logits = self.model(**self._sources(sources), decoder_input_ids=inputs).logits  # (B, T, V)
        chosen = logits.log_softmax(-1).gather(2, self._padded(targets).unsqueeze(2)).squeeze(2).cpu()
        return [row[: len(ids)] for row, ids in zip(chosen, targets, strict=True)]

    def _sources(self, rows: Sequence[list[int]]) -> dict[str, Tensor]:
        ids, mask = pad(rows)
        return {"input_ids": ids.to(self.model.device), "attention_mask": mask.long().to(self.model.device)}

    def _padded(self, rows: Sequence[list[int]]) -> Tensor:
        return pad(rows)[0].to(self.model.device)


def _load(folder: Path) -> tuple[Any, Any]:
    """Return the model and the tokenizer. Raises UserError unless the file has each weight of the model."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Recommended: pip install sacremoses")  # only for `normalize`
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model, found = AutoModelForSeq2SeqLM.from_pretrained(folder, local_files_only=True, output_loading_info=True)
    except (OSError, ValueError, KeyError, RuntimeError, safetensors.SafetensorError) as error:
        problem = str(error).partition("\n")[0]
        raise UserError(f"ckpt={folder}: transformers cannot load it ({problem}); export the model again") from error
    _require_all(found, folder)
    return model.eval(), tokenizer


def _require_all(found: Mapping[str, Any], folder: Path) -> None:
    """Raise UserError for a weight that the file lacks, so that transformers drew it at random, or for one too many."""
    for problem in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        if found[problem]:
            names = ", ".join(sorted(map(str, found[problem])))
            raise UserError(f"ckpt={folder}: transformers has {problem} {names}; export the model again")


def _until_eos(tokens: list[int]) -> list[int]:
    return tokens[: tokens.index(EOS) + 1] if EOS in tokens else tokens
