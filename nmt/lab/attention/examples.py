"""Attention with small numbers, without a trained model: the examples of tutorials, computed with our functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from nmt.models.multihead import MultiHeadAttention, attention_weights
from nmt.models.positions.base import NoPositions, Positions
from nmt.models.positions.sinusoidal import Sinusoidal
from nmt.models.transformer import TransformerBlock, TransformerEncoder
from nmt.tokens import EOS

SCORES = (2.0, 1.0, 0.1)
FEATURES = ("sweet", "crunchy", "round")
PRODUCTS = {"apple": (0.5, 1.0, 1.0), "banana": (1.0, -1.0, -0.5), "carrot": (-0.5, 1.0, -1.0)}  # from -1 to 1
PRICES = (1.2, 0.8, 0.5)
WANTED = (0.8, 0.5, 0.7)  # such as a pear
WORDS = ("I", "love", "you", "all")
NEGATED = (  # the words are the same, but "not" is in another place
    "Although I did not get 95 in last TOEFL, I could get in the Ph.D program",
    "Although I did get 95 in last TOEFL, I could not get in the Ph.D program",
)
WIDTH, ATTENTION_WIDTH, HEADS = 20, 5, 4
SEED = 1


def softmax() -> str:
    """Return an example of how scores become weights."""
    scores = torch.tensor(SCORES)
    powers = scores.exp()
    return "\n".join(
        [
            "Scores become weights: exp(score), divided by the sum of all exp(score).",
            "",
            f"scores        {_row(scores)}",
            f"exp(score)    {_row(powers)}   sum {float(powers.sum()):.2f}",
            f"weights       {_row(scores.softmax(-1))}   sum 1.00",
            "",
            "The highest score gets the most weight, and no weight is 0.",
        ]
    )


def lookup() -> str:
    """Return an example of a query that looks up a price among products that are only similar to it."""
    query, keys, values = torch.tensor([WANTED]), torch.tensor(list(PRODUCTS.values())), torch.tensor(PRICES)
    scores = query @ keys.T
    weights = attention_weights(query, keys, None, scale=len(FEATURES) ** -0.5)
    rows = zip(PRODUCTS, keys, values.tolist(), scores[0].tolist(), weights[0].tolist(), strict=True)
    width = max(map(len, PRODUCTS))
    return "\n".join(
        [
            "A dictionary finds a value by its exact key. Attention compares the query with every key (products of the",
            "features, added up), and returns the mean of all values, each with the weight of its key.",
            "",
            f"query: {', '.join(f'{name} {x:g}' for name, x in zip(FEATURES, WANTED, strict=True))}",
            "",
            f"{'key':<{width}}  {'  '.join(FEATURES)}   value  score  score/sqrt({len(FEATURES)})  weight",
            *(
                f"{name:<{width}}  {key[0]:5.1f}  {key[1]:7.1f}  {key[2]:5.1f}   {price:5.2f}  {score:5.2f}"
                f"  {score * len(FEATURES) ** -0.5:13.2f}  {weight:6.2f}"
                for name, key, price, score, weight in rows
            ),
            "",
            f"result: {' + '.join(f'{w:.2f} x {v:.2f}' for w, v in zip(weights[0].tolist(), PRICES, strict=True))}"
            f" = {float(weights[0] @ values):.2f}",
        ]
    )


def self_attention() -> str:
    """Return self-attention over four words, with random weights that depend on a fixed seed."""
    words, (queries, keys, values) = _words(), _projections()
    with torch.no_grad():
        q, k, v = queries(words), keys(words), values(words)
        weights = attention_weights(q, k, None, scale=ATTENTION_WIDTH**-0.5)
    return "\n".join(
        [
            f'Self-attention over the words "{" ".join(WORDS)}", with untrained (random) projections.',
            "",
            f"words                   {_shape(words)}   {len(WORDS)} words, each a vector of {WIDTH} numbers",
            f"queries, keys, values   {_shape(q)}    each projects the words from {WIDTH} to {ATTENTION_WIDTH}",
            f"scores                  {_shape(weights)}    queries x keys, divided by sqrt({ATTENTION_WIDTH}) = "
            f"{ATTENTION_WIDTH**0.5:.3f}",
            f"weights                 {_shape(weights)}    softmax of each row of the scores",
            f"context                 {_shape(weights @ v)}    weights x values",
            "",
            "weights: from the word on the left to the word above",
            *_matrix(weights),
        ]
    )


def heads() -> str:
    """Return multi-head attention over the four words, with random weights that depend on a fixed seed."""
    words, attention = _words(), _heads()
    with torch.no_grad():
        output, weights = attention(words[None], words[None], need_weights=True)
    size = WIDTH // HEADS
    lines = [
        f'{HEADS} heads over the words "{" ".join(WORDS)}", with untrained (random) projections.',
        "",
        f"words                   {_shape(words)}",
        f"queries, keys, values   ({HEADS}, {len(WORDS)}, {size})   {HEADS} heads of {size}, {WIDTH} together",
        f"weights                 {_shape(weights[0])}   a table for each head",
        f"contexts, joined        ({len(WORDS)}, {WIDTH})     the {HEADS} contexts of a word, one after another",
        f"output                  {_shape(output[0])}     a linear layer from {WIDTH} to {WIDTH}",
    ]
    for number, head in enumerate(weights[0], start=1):
        lines += ["", f"weights of head {number}", *_matrix(head)]
    return "\n".join(lines)


def order() -> str:
    """Return the outputs of an encoder for two sentences of the same words, without positions and with them."""
    words, other = (sentence.split() for sentence in NEGATED)
    places = [_place(words, i, other) for i in range(len(words))]
    without, with_positions = (
        (first - second[places]).abs().amax(dim=1) for first, second in (_encoded(NoPositions), _encoded(Sinusoidal))
    )
    width = max(map(len, words))
    return "\n".join(
        [
            "Two sentences with the same words, through one layer of a Transformer's encoder with random weights.",
            "",
            f"1: {NEGATED[0]}",
            f"2: {NEGATED[1]}",
            "",
            f"Each word becomes a vector of {WIDTH} numbers. The largest difference between its vectors in 1 and in 2:",
            "",
            f"{'word':<{width}}  place in 1  place in 2  without positions  with positions",
            *(
                f"{word:<{width}}  {i + 1:10}  {place + 1:10}  {none:17.2f}  {some:14.2f}"
                for i, (word, place, none, some) in enumerate(
                    zip(words, places, without.tolist(), with_positions.tolist(), strict=True)
                )
            ),
            "",
            "Without positions, both sentences are the same set of vectors: nothing says which verb is negated.",
        ]
    )


EXAMPLES: dict[str, Callable[[], str]] = {
    "softmax": softmax,
    "lookup": lookup,
    "self": self_attention,
    "heads": heads,
    "order": order,
}


def _words() -> Tensor:
    """Return a vector for each word (4, 20)."""
    return torch.randn(len(WORDS), WIDTH, generator=torch.Generator().manual_seed(SEED))


def _place(words: Sequence[str], i: int, other: Sequence[str]) -> int:
    """Return the place in `other` of word i. For a word that occurs twice, the same occurrence is meant."""
    before = words[:i].count(words[i])
    return [place for place, word in enumerate(other) if word == words[i]][before]


def _encoded(positions: type[Positions]) -> tuple[Tensor, Tensor]:
    """Return the vectors (words, 20) of both sentences, from an encoder of one layer and 4 heads."""
    words, other = (sentence.split() for sentence in NEGATED)
    ids = {word: number for number, word in enumerate(dict.fromkeys(words), start=EOS + 1)}
    sources = torch.tensor([[ids[word] for word in sentence] for sentence in (words, other)])
    block = TransformerBlock(width=WIDTH, heads=HEADS, feed_forward=2 * WIDTH)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        encoder = TransformerEncoder(vocab_size=max(ids.values()) + 1, layers=1, block=block, positions=positions)
        first, second = encoder(sources, torch.ones_like(sources, dtype=torch.bool)).memory
    return first, second


def _projections() -> Sequence[nn.Linear]:
    """Return the projections to queries, keys and values (20 to 5)."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return [nn.Linear(WIDTH, ATTENTION_WIDTH, bias=False) for _ in range(3)]


def _heads() -> MultiHeadAttention:
    """Return attention with 4 heads of width 5."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return MultiHeadAttention(WIDTH, HEADS)


def _row(values: Tensor) -> str:
    return " ".join(f"{value:5.2f}" for value in values.tolist())


def _shape(values: Tensor) -> str:
    return str(tuple(values.shape))


def _matrix(weights: Tensor) -> list[str]:
    """Return the lines of a table of weights between the words, with the sum of each row."""
    head = "      " + " ".join(f"{word:>5}" for word in WORDS)
    return [
        head,
        *(f"{word:<5} {_row(row)}   sum {float(row.sum()):.2f}" for word, row in zip(WORDS, weights, strict=True)),
    ]
