"""Describe each attention head of a trained model: where it looks, and the score that the model loses without it.

  python scripts/heads.py ckpt=RUN_FOLDER_OR_FILE [key=value ...]      (installed: nmt-heads)

{settings}

The settings of evaluate.py work here too, except terms= and a list of models in ckpt=. The search is greedy
unless another one is given, because greedy is the fastest. The loss is measured with the first metric of scores=.

A head has a role if its highest weight is on the same kind of token in at least half of the rows: on the previous, the
same or the next token, on the rarest one of the sentence, or on its end (Voita et al. 2019, arXiv:1905.09418).
The loss of a head is the score of the model minus the score with this head masked (Michel et al. 2019,
arXiv:1905.10650). Among many heads, small losses occur by chance.

The program prints a table, and writes heads/test.beam1.lp1.500.json (with all figures of each head) and a picture of
the same name, .png. The names have the split, the checkpoint unless it is the best, the search and the number of
sentences. Give other data or length limits another folder, out=FOLDER.

  python scripts/heads.py ckpt=outputs/transformer/2026-01-31_12-00-00 sentences=200
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nmt.cli.arguments import configured
from nmt.cli.evaluate import Inputs, SplitConfig, load_inputs
from nmt.cli.output import messages_on, print_stderr
from nmt.errors import UserError
from nmt.lab.cli.report import training_of
from nmt.parameters import PositiveInt
from nmt.system.atomic import write_atomically
from nmt.system.run_files import inside

if TYPE_CHECKING:
    from nmt.lab.heads.heads import Profile


@dataclass(kw_only=True)
class HeadsConfig(SplitConfig):
    """The settings of heads.yaml."""

    sentences: PositiveInt | None
    importance: bool
    rarity: bool


@configured(HeadsConfig)
def main(config: HeadsConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings."""
    if isinstance(config.ckpt, list):
        raise UserError(f"ckpt: got a list of {len(config.ckpt)}, but this is about the heads of one model")
    from nmt.cli.output import to_text
    from nmt.lab.attention.figure import content
    from nmt.lab.heads.heads import heads_figure

    inputs = load_inputs(config)
    name = f"{inputs.subject.beginning(inputs.translator.search)}.{len(inputs.pairs[: config.sentences])}"
    paths = {kind: inside(inputs.folder, "heads", f"{name}.{kind}") for kind in ("json", "png")}
    with messages_on(sys.stderr):
        facts, found = examine(inputs, config)
    print(to_text(table(found, facts["metric"])))
    lost = any(each.lost is not None for each in found)
    legend = f"{facts['metric']} lost without the head" if lost else "share of the rows with the role"
    title = f"{inputs.loaded.config['name']}: {facts['metric']} {facts['score']:.1f} on {facts['sentences']} sentences"
    plain = {**facts, "heads": [each.to_dict() for each in found]}
    contents = {
        "json": (json.dumps(plain, indent=2, ensure_ascii=False) + "\n").encode(),
        "png": content(heads_figure(found, title, legend)),
    }
    for kind, written in contents.items():
        write_atomically(paths[kind], written)
        print(f"written to {paths[kind]}")


def examine(inputs: Inputs, config: HeadsConfig) -> tuple[dict[str, Any], list[Profile]]:
    """Return the facts of the examination, and the profile of each head. Raises UserError for no attention."""
    from nmt.data.normalization import normalized
    from nmt.evaluation.metrics.base import labels
    from nmt.lab.attention.view import attention_maps, with_layers
    from nmt.lab.heads.heads import count_pieces, profiles
    from nmt.lab.heads.importance import heads, importance

    translator = with_layers(inputs.translator)
    if not translator.attends:
        raise UserError("ckpt: this model has no attention, so it has no heads")
    measured = config.importance and bool(heads(translator.model))
    if measured != config.importance:
        reason = "only heads of Transformer layers can be masked, and this model has none"
        print_stderr(f"importance: {reason}; it is left out")
    first, metric = next(iter(inputs.metrics.items()))
    if measured and metric.higher_is_better is None:
        raise UserError(
            f"importance: got the metric {first}, of which neither a higher nor a lower value is better, so a loss "
            "cannot be measured; choose another one, as in scores=[bleu], or set importance=false"
        )
    frequencies = None
    training = training_of(inputs, config.data, config.allow) if config.rarity else None
    if training is not None:
        frequencies = count_pieces(training.pairs(), translator.tokenizer)
    pairs = inputs.pairs[: config.sentences]
    sources, references = [pair.source for pair in pairs], [pair.target for pair in pairs]
    translations = translator.translate(sources)
    maps = list(attention_maps(translator, translations).values())
    if not maps:
        raise UserError(f"split: none of the {len(pairs)} translations has an attention map, because all are empty")
    lines = [normalized(each.text) for each in translations]
    whole = metric.score(lines, references, sources=sources)
    scores = {}
    if measured:
        scores = importance(translator, sources, references, lines, metric)
    facts = {
        "checkpoint": str(inputs.loaded.path.resolve()),
        "data": inputs.subject.data,
        "split": inputs.subject.split,
        "sentences": len(pairs),
        "search": translator.search.label,
        "metric": labels(inputs.metrics)[first],
        "signature": whole.signature,
        "score": whole.value,
    }
    return facts, profiles(maps, frequencies, scores)


def table(found: Sequence[Profile], metric: str) -> Any:
    """Return the table of all heads."""
    from nmt.cli.output import Column, Table
    from nmt.lab.heads.roles import ROLES

    def percent(share: float | None) -> str:
        return "" if share is None else f"{100 * share:.0f}"

    measured = any(each.lost is not None for each in found)
    columns = [Column("attention", number=False), Column("layer"), Column("head"), Column("role", number=False)]
    columns += [Column(f"{metric} lost")] if measured else []
    columns += [*(Column(f"{each} %") for each in ROLES), Column("entropy %"), Column("sharp %")]
    rows = []
    for each in found:
        texts = [each.head.kind, str(each.head.layer), str(each.head.head), each.role or ""]
        if measured:
            texts.append("" if each.lost is None else f"{each.lost:+.2f}")
        texts += [percent(each.shares.get(role)) for role in ROLES]
        texts += [percent(each.measures.get(figure)) for figure in ("relative_entropy", "sharp")]
        rows.append(texts)
    return Table(columns, rows)
