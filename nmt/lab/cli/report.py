"""Report on the strengths and weaknesses of a trained model, as one HTML page.

  python scripts/report.py ckpt=RUN_FOLDER_OR_FILE [split=test] [key=value ...]      (installed: nmt-report)

{settings}

The settings of evaluate.py work here too, except terms= and a list of models in ckpt=. The program first does
what evaluate.py does. Then it writes to the same folder, translations/:

  test.beam5.lp1.report.html   scores; scores by length and by rare words; shares of empty, copied, repeating, too short
                               and too long translations; search and model errors; what the model's confidence is worth;
                               sentences with their pieces, other translations, attention and views. The page needs no
                               network and runs no script
  test.beam5.lp1.report.json   the same figures and sentences

  python scripts/report.py ckpt=outputs/transformer/2026-01-31_12-00-00
  python scripts/report.py ckpt=best.safetensors data.path=my_corpus split=val search.beam_size=10 n_best=10
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from nmt.cli.arguments import OpenMapping, configured
from nmt.cli.evaluate import Inputs, Resamples, SplitConfig, data_of, evaluate, load_inputs
from nmt.cli.output import messages_on, print_stderr
from nmt.errors import UserError
from nmt.parameters import NonNegativeInt, Range
from nmt.system.atomic import write_atomically
from nmt.system.run_files import inside

if TYPE_CHECKING:
    from nmt.lab.report.rarity import Training
    from nmt.lab.report.report import Report


@dataclass(kw_only=True)
class ReportConfig(SplitConfig):
    """The settings of report.yaml."""

    examples: NonNegativeInt
    n_best: NonNegativeInt
    seed: int
    rarity: bool
    good: Annotated[float, Range(low=0, high=100)]
    views: OpenMapping
    bootstrap: Resamples


@configured(ReportConfig)
def main(config: ReportConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings."""
    if isinstance(config.ckpt, list):
        raise UserError(
            f"ckpt: got a list of {len(config.ckpt)}, but a report is about one model; evaluate.py scores an ensemble"
        )
    from nmt.build import build_views
    from nmt.lab.attention.view import with_layers
    from nmt.lab.report.errors import judge
    from nmt.lab.report.examples import examples
    from nmt.lab.report.rarity import rarity
    from nmt.lab.report.report import report

    inputs = load_inputs(config)
    translator = with_layers(inputs.translator)
    views = build_views(config.views, allow=config.allow)
    for view in views.values():
        view.check(translator.model)
    training = training_of(inputs, config.data, config.allow) if config.rarity else None
    evaluation = evaluate(inputs, bootstrap=config.bootstrap)
    with messages_on(sys.stderr):
        rare = None
        if training is not None:
            lines, language = [*evaluation.references, *evaluation.hypotheses], inputs.subject.target_lang
            rare = rarity(training, lines, inputs.metrics, language)
        verdicts = judge(translator, evaluation.translations, evaluation.references)
        numbers = {"count": config.examples, "n_best": config.n_best, "seed": config.seed}
        chosen = examples(translator, evaluation, verdicts, views, **numbers)
        found = report(translator, evaluation, verdicts, rare, chosen, config.good)
        for path in write(found, inputs.folder):
            print(f"written to {path}")


def training_of(inputs: Inputs, given: Mapping[str, Any], allow: Sequence[str]) -> Training | None:
    """Return the pairs that the model was trained on (also `data.more`), before any were dropped.

    A folder among the `given` data settings, data.path=, holds a copy of them. If a model of both directions translates
    the other way, their sides are exchanged. If they cannot be read, a warning says so, and the result is None.
    """
    from nmt.build import build_more, build_source
    from nmt.data.corpus import load_corpus, load_more, origin
    from nmt.data.pair import Split
    from nmt.data.sources.base import swapped
    from nmt.lab.report.rarity import Training

    with messages_on(sys.stderr):
        try:
            path = {key: given[key] for key in ("path",) if key in given}
            data = data_of(inputs.loaded, path, inputs.translator.languages)
            if data.swapped:
                data = replace(data, source_lang=data.target_lang, target_lang=data.source_lang, swapped=False)
            source = build_source(data, allow=allow)
            splits = [
                load_corpus(source, data, ("train",))["train"],
                *load_more(build_more(data, "more"), data).values(),
            ]
        except UserError as error:
            problem = str(error).partition("; ")[0]  # without the advice
            print_stderr(f"warning: the training pairs cannot be used ({problem}); rare words are left out")
            return None
    if (data.source_lang, data.target_lang) == (inputs.subject.target_lang, inputs.subject.source_lang):
        splits = [Split.of(swapped(each)) for each in splits]
    return Training(splits, origin(source, data))


def write(report: Report, folder: Path) -> list[Path]:
    """Write the report beside the translations as HTML and JSON. Return the paths of the files.

    Raises OSError if the folder cannot be written.
    """
    from nmt.lab.report.page import page
    from nmt.lab.report.report import to_dict
    from nmt.system.run_files import TRANSLATIONS

    name = f"{report.evaluation.label}.report"
    texts = {
        inside(folder, TRANSLATIONS, f"{name}.json"): json.dumps(to_dict(report), indent=2, ensure_ascii=False) + "\n",
        inside(folder, TRANSLATIONS, f"{name}.html"): page(report),
    }
    for path, text in texts.items():
        write_atomically(path, text.encode())
    return list(texts)
