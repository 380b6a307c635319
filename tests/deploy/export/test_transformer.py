"""The head that agrees most with the aligner is chosen, and it is the one that CTranslate2 returns."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from nmt.data.aligner import Aligner
from nmt.deploy.export.base import Exportable, write
from nmt.deploy.export.ctranslate2 import CTranslate2, CTranslate2Translator
from nmt.deploy.export.transformer import AlignmentHead, best_head
from nmt.translation.exported import load_exported
from nmt.translation.loading import make_translator
from tests.deploy.export.models import SEARCH, TEXTS, largest_difference, transformer
from tests.tiny_run import Run


def test_the_head_with_the_highest_agreement_is_chosen(run: Run) -> None:
    translator = make_translator([transformer(run)], SEARCH)
    targets = [text[::-1] for text in TEXTS]
    found = best_head(translator, TEXTS, targets)
    scored = translator.score(TEXTS, targets)
    pairs = [(each.encoded.ids[0][:-1], each.tokens[:-1]) for each in scored]
    links = [Aligner(pairs).links(*pair)[0] for pair in pairs]
    agreed = torch.zeros(2, 2)
    for attention, each in zip(translator.attention_maps(scored), links, strict=True):
        assert attention.cross is not None
        for place, position in enumerate(each):
            agreed += attention.cross[:, :, place].argmax(-1) == position
    assert agreed[found.layer, found.head] == agreed.max()
    assert found.agreement == pytest.approx(float(agreed.max()) / sum(map(len, links)))


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("head", [0, 1])
def test_the_chosen_head_is_the_one_that_ctranslate2_returns(layer: int, head: int, run: Run, tmp_path: Path) -> None:
    pytest.importorskip("ctranslate2")
    loaded = transformer(run)
    write(CTranslate2(), Exportable(loaded, SEARCH, TEXTS[0], AlignmentHead(layer, head, 0.5)), tmp_path)
    ours, (theirs, _) = make_translator([loaded], SEARCH), load_exported(tmp_path, device="cpu")
    assert isinstance(theirs, CTranslate2Translator)
    assert largest_difference(ours, theirs) < 1e-4
    (translation,) = ours.translate([TEXTS[0]], beam_size=1)
    (attention,) = ours.attention_maps([translation])
    pieces = [loaded.tokenizer.source_vocabulary[index] for index in translation.encoded.ids[0][:-1]]
    limits = {"beam_size": 1, "max_decoding_length": len(translation.tokens)}
    (result,) = theirs.translator.translate_batch([pieces], return_attention=True, **limits)
    assert attention.cross is not None
    returned = torch.tensor(result.attention[0])
    expected = attention.cross[layer, head][: len(returned)]
    torch.testing.assert_close(returned, expected[:, : returned.shape[1]], atol=1e-4, rtol=0)
