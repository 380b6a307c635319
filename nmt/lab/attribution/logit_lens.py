"""The logit lens (nostalgebraist 2020, "interpreting GPT: the logit lens"; see arXiv:2303.08112, section 2)."""

from __future__ import annotations

import torch

from nmt.lab.attribution.base import AttributionView, Scores
from nmt.lab.attribution.prediction import Prediction, decoder_layers, record
from nmt.models.transformer import TransformerDecoder


class LogitLens(AttributionView):
    """The probability of each target token after each layer of the decoder, as if that layer were the last.

    The final norm and the output layer read the states of each layer. A cell also has the most probable token there.
    """

    title = "Logit lens"
    question = "What would the decoder write if it had only its first layers?"
    columns = "layers"
    needs = (TransformerDecoder,)

    def scores(self, prediction: Prediction) -> Scores:
        layers = decoder_layers(prediction.model)
        decoder = prediction.model.decoder
        assert isinstance(decoder, TransformerDecoder)
        calls = record(prediction, layers)
        states = [calls[layers[0]].args[0], *(calls[layer].output[0] for layer in layers)]
        with torch.no_grad():
            logits = decoder.output(decoder.norm(torch.cat(states)))  # (L + 1, T, V)
            target = prediction.target.expand(len(logits), -1).unsqueeze(-1)
            found = logits.softmax(-1).gather(-1, target).squeeze(-1)
        return Scores(found.T[None, None], logits.argmax(-1).T)
