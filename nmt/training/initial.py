"""The weights that a run begins with: new ones, or those of another run, whole or in parts, with another vocabulary."""

from __future__ import annotations

import fnmatch
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from nmt.checkpoint import Checkpoint, load, set_weights, weight_mismatch, weights_of
from nmt.config.recipe import NOTHING, changes
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, did_you_mean
from nmt.models.seq2seq import Seq2Seq
from nmt.parameters import shown
from nmt.system.run_files import find_checkpoint
from nmt.tokens import RESERVED, UNK, WORD_MARK
from nmt.translation.loading import languages_of

logger = logging.getLogger(__name__)

TABLES = "embeddings"  # in a list of parts: the tables of embeddings and the output layer


def load_initial(path: str, plain: Mapping[str, Any], *, new_tokenizer: bool) -> Checkpoint:
    """Return the content of the checkpoint that a new run starts from.

    Raises UserError if it cannot be read. If the run keeps its tokenizer, raises UserError too if the settings of the
    tokenizer or the languages differ.
    """
    file = find_checkpoint(path, key="init")
    start = load(file)
    kept = "its model" if new_tokenizer else "its model, tokenizer and spans"
    logger.info(f"init: the weights of {file}, update {start.update:,}, and {kept}")
    if new_tokenizer:
        return start
    own_languages, languages = languages_of(start.config), languages_of(plain)
    if own_languages and languages and own_languages != languages and not start.tokenizer.joint:
        raise UserError(
            f"init={path}: it translates {' to '.join(own_languages)} with a vocabulary for each language; got "
            f"{' to '.join(languages)}, expected the same languages, or a model with a joint vocabulary"
        )
    facts = {"type": start.tokenizer.type, "joint": start.tokenizer.joint}  # `Translator.save` writes no settings
    differing = changes({"path": None, **start.config.get("tokenizer", facts)}, plain["tokenizer"]).items()
    if own := [f"tokenizer.{key}={shown(before)}" for key, (before, now) in differing if NOTHING not in (before, now)]:
        raise UserError(
            f"init={path}: the run uses its tokenizer, which has other settings; add {' '.join(own)}, or "
            "init_tokenizer=new"
        )
    return start


def begin_from(start: Checkpoint, model: Seq2Seq, tokenizer: Tokenizer, parts: Sequence[str], path: str) -> None:
    """Copy the weights of `start`, the checkpoint `path`, into a new model that has this tokenizer.

    With `parts`, as for `select`, only their weights are copied, and of these only those that `start` has in the same
    shape. The log counts them. Raises UserError if a weight does not fit and `parts` is empty, or if none is copied.
    """
    weights = dict(start.weights)
    models = [(each.source_model, each.target_model) for each in (tokenizer, start.tokenizer)]
    if models[0] != models[1]:
        weights |= _respelled(weights, start.tokenizer, tokenizer, model)
    if not parts:
        if problem := weight_mismatch(weights, model):
            raise UserError(
                f"init={path}: its weights do not fit this model ({problem}); leave out the settings of the model, or "
                "name the parts to copy, as in init_parts=[encoder]"
            )
        set_weights(model, weights)
        return
    own = weights_of(model)
    wanted = {name: own[name] for name in select(parts, own, model, key="init_parts")}
    fitting = {
        name: weights[name] for name, value in wanted.items() if name in weights and weights[name].shape == value.shape
    }
    if not fitting:
        raise UserError(f"init_parts: got [{','.join(parts)}], but {path} has no weight of them in the same shape")
    set_weights(model, {**own, **fitting})
    left = [name for name in wanted if name not in fitting]
    note = f"; not there, or in another shape: {', '.join(left[:3])}{' ...' * (len(left) > 3)}" if left else ""
    logger.info(f"init_parts: {len(fitting)} of the {len(own)} weights are copied, the others begin new{note}")


def freeze(model: Seq2Seq, parts: Sequence[str]) -> None:
    """Let training leave the weights of `parts` as they are; the log counts them.

    Raises UserError for a part that the model does not have, and if no weight is left to train.
    """
    if not parts:
        return
    own = dict(model.named_parameters())
    for name in select(parts, own, model, key="freeze"):
        own[name].requires_grad_(False)
    frozen = sum(each.numel() for each in own.values() if not each.requires_grad)
    total = sum(each.numel() for each in own.values())
    if frozen == total:
        raise UserError(f"freeze: got [{','.join(parts)}], which is the complete model; leave a part to train")
    logger.info(f"freeze: {frozen:,} of {total:,} weights are not trained")


def select(parts: Sequence[str], names: Iterable[str], model: Seq2Seq, *, key: str) -> list[str]:
    """Return those of the `names` of weights that belong to `parts`, in their order.

    A part is a module (`encoder`, `decoder.layers.0`), a pattern (`*.norm.*`), or `embeddings`: the tables and the
    output layer. A table that both sides share belongs to the encoder. Raises UserError, which begins with `key`, for a
    part that has no weight.
    """
    names, found = list(names), set[str]()
    for part in parts:
        chosen = {name for name in names if f"{name}.".startswith(f"{part}.") or fnmatch.fnmatchcase(name, part)}
        chosen |= {*_tables(model)} & {*names} if part == TABLES else set()
        if not chosen:
            known = [each for each, _ in model.named_modules() if any(name.startswith(f"{each}.") for name in names)]
            raise UserError(
                f"{key}: got '{part}', expected {TABLES}, a module such as encoder or decoder.layers.0, or a pattern "
                f"such as '*.norm.*'{did_you_mean(part, [TABLES, *known])}"
            )
        found |= chosen
    return [name for name in names if name in found]


def _tables(model: Seq2Seq) -> dict[str, int]:
    """Return the side of the vocabulary (0: source, 1: target) of each weight that has a row for each piece."""
    names = {id(weight): name for name, weight in model.named_parameters()}
    decoder = model.decoder
    target = {names[id(weight)]: 1 for weight in (decoder.embedding.weight, *decoder.output.parameters())}
    return {**target, names[id(model.encoder.embedding.weight)]: 0}


def _respelled(weights: Mapping[str, Tensor], old: Tokenizer, new: Tokenizer, model: Seq2Seq) -> dict[str, Tensor]:
    """Return the weights with a row for each piece, made for the vocabularies of `new`.

    A piece that `old` has too keeps its row. Any other begins as the mean of the rows of the old pieces that spell it.
    """
    source = target = _spelled(old.source_vocabulary, old.encode_source, new.source_vocabulary)
    if not (old.joint and new.joint):
        target = _spelled(old.target_vocabulary, old.encode_target, new.target_vocabulary)
    sides = source, target
    return {
        name: torch.stack([weights[name][ids].mean(0) for ids in sides[side]])
        for name, side in _tables(model).items()
        if name in weights
    }


def _spelled(
    old: Sequence[str], encode: Callable[[Sequence[str]], list[list[int]]], new: Sequence[str]
) -> list[list[int]]:
    """Return for each piece of `new` its id in `old`, or the ids of the pieces by which `encode` spells it.

    The log counts the pieces.
    """
    places = {piece: index for index, piece in enumerate(old)}
    # SentencePiece puts a space before a text. A piece inside a word follows a reserved piece, and so has none.
    before = RESERVED[0] if RESERVED[0] in places else ""
    others = [piece for piece in new if piece not in places]
    first, *encoded = encode([before, *(before + piece.replace(WORD_MARK, " ") for piece in others)])
    spelled = {piece: ids[len(first) - 1 : -1] or [UNK] for piece, ids in zip(others, encoded, strict=True)}
    logger.info(
        f"init_tokenizer: {len(new) - len(others):,} of {len(new):,} pieces keep their rows, the others begin as the "
        "mean of the old pieces that spell them"
    )
    return [[places[piece]] if piece in places else spelled[piece] for piece in new]
