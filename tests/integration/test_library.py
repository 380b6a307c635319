"""The toolkit as a library: no Hydra, no Lightning, no run folder."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import torch
from torch.nn.functional import cross_entropy

from nmt import load_translator
from nmt.analysis.figure import save
from nmt.build import build_model
from nmt.config.settings import TokenizerConfig
from nmt.data.batch import make_batch
from nmt.data.pair import SentencePair
from nmt.data.tokenizer import Tokenizer
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.translate import Translator

WORDS = {"one": "eins", "two": "zwei", "three": "drei", "four": "vier", "five": "fünf", "six": "sechs"}


def test_a_model_built_trained_saved_searched_scored_and_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(1)
    draw = random.Random(1)

    # A corpus and its tokenizer
    sources = [" ".join(draw.choices(list(WORDS), k=draw.randint(2, 4))) for _ in range(500)]
    targets = [" ".join(WORDS[word] for word in source.split()) for source in sources]
    settings = TokenizerConfig(type="bpe", vocab_size=310, joint=True, character_coverage=1.0)
    tokenizer = Tokenizer.train(list(map(SentencePair, sources, targets)), settings, cache_dir=None)

    # A model
    block = {"_target_": "nmt.models.transformer.TransformerBlock", "width": 32, "heads": 4, "feed_forward": 64}
    config = {
        "tie_embeddings": "all",
        "encoder": {"_target_": "nmt.models.transformer.TransformerEncoder", "layers": 1, "block": block},
        "decoder": {"_target_": "nmt.models.transformer.TransformerDecoder", "layers": 1, "block": block},
    }
    size = tokenizer.source_vocab_size
    model = build_model(config, source_vocab_size=size, target_vocab_size=size, joint=True)

    # Training by hand
    source_ids, target_ids = tokenizer.encode_source(sources), tokenizer.encode_target(targets)
    adam = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(80):
        chosen = draw.sample(range(len(sources)), 32)
        batch = make_batch([source_ids[i] for i in chosen], [target_ids[i] for i in chosen], chosen)
        hidden, _ = model(batch.source, batch.source_mask, batch.target_in)
        logits = model.decoder.output(hidden[batch.target_mask])
        loss = cross_entropy(logits, batch.target_out[batch.target_mask])
        adam.zero_grad()
        loss.backward()
        adam.step()

    # Saved, and read back
    Translator(model, tokenizer, BeamSearch(beam_size=4)).save("model.ckpt")
    translator = load_translator("model.ckpt", device="cpu")

    # Searched, scored and looked at
    found = translator.translate(["one two three", "six five"])
    best_three = translator.hypotheses(["one two three"], n_best=3)[0]
    drawn = translator.hypotheses(["one two three"], search=Sampling(temperature=2.0, samples=5))[0]
    right, wrong = translator.score(["one two three"] * 2, ["eins zwei drei", "drei zwei eins"])
    maps = translator.attention_maps([*found, wrong])
    save(maps[0], "map.json")

    assert [each.text for each in found] == ["eins zwei drei", "sechs fünf"]
    assert len(best_three) == 3 and best_three[0].text == found[0].text
    assert len(drawn) == 5
    assert right.score > wrong.score + 1
    assert [drawn_map.target for drawn_map in maps] == ["eins zwei drei", "sechs fünf", "drei zwei eins"]
    assert maps[0].cross is not None and maps[0].cross.shape[2:] == (len(found[0].pieces), len(maps[0].source_pieces))
    assert json.loads(Path("map.json").read_text(encoding="utf-8"))["target"] == "eins zwei drei"
