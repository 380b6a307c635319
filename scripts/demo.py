"""Train on the embedded corpus (three minutes on two cores, no network), evaluate, translate three sentences, draw
their attention maps, and write the model as a page. Overrides are passed to train.py, as in:
python scripts/demo.py seed=2
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt.cli import evaluate, train, translate
from nmt.cli.arguments import take
from nmt.cli.program import Program, program
from nmt.deploy.cli import export
from nmt.lab.cli import attend

SENTENCES = 3

CLOSING = """
Everything is in {folder}:
  page.html                   the model in your browser: type a sentence, and see what it looks at; open this first
  metrics.json                scores, times and hardware
  translations/               sources, translations and references of validation and test, one sentence on each line
  attention/                  attention maps of validation sentences, as pictures and as JSON
  {maps}/attention.html
                              the attention maps of these sentences, for a browser
  checkpoints/best.safetensors
                              the model, ready for evaluate and translate
  config.yaml, train.log      the settings and the messages of the run
  events.out.tfevents...      curves; to see them: {tensorboard}

What to try next (python is {python}):
  python scripts/translate.py ckpt={run} text={text}
  python scripts/attend.py ckpt={run} text={text} kind=encoder_self words=true
  python train.py experiment=demo_rnn data.target_lang=ko    (Bahdanau attention, English to Korean, 600 updates)
  python train.py data=cldr model=rnn model/attention=luong
  python train.py experiment=multi30k_transformer            (needs the network, or data.path=FOLDER)
  python train.py --help
"""


@program
def main(arguments: list[str]) -> None:
    """Train, evaluate, translate, and print where the files are."""
    named, overrides = take(arguments, "hydra.run.dir")
    folder = Path(os.path.expanduser(named or f"outputs/demo/{time.strftime('%Y-%m-%d_%H-%M-%S')}"))
    _step("train.py", train.main, ["experiment=demo", f"hydra.run.dir={folder}", *overrides])
    _step("scripts/evaluate.py", evaluate.main, [f"ckpt={folder}"])
    sentences = chosen_sentences(folder)
    for source, reference in sentences:
        _step("scripts/translate.py", translate.main, [f"ckpt={folder}", f"text={source}"])
        print(f"(reference: {reference})")
    maps, lines = folder / "attention" / "demo", folder / "attention" / "demo.txt"
    maps.mkdir(parents=True, exist_ok=True)
    lines.write_text("".join(f"{source}\n" for source, _ in sentences), "utf-8")
    _step("scripts/attend.py", attend.main, [f"ckpt={folder}", f"input={lines}", "words=true", f"out={maps}"])
    _step("scripts/export.py", export.main, [f"ckpt={folder}", "format=html", f"out={folder / 'page.html'}"])
    run, text = shlex.quote(str(folder)), shlex.quote(sentences[0][0])
    logs = f"python -m tensorboard.main --logdir {run}"
    values = {"folder": folder, "run": run, "maps": maps, "tensorboard": logs, "text": text, "python": sys.executable}
    print(CLOSING.format(**values), end="")


def _step(name: str, program: Program, arguments: list[str]) -> None:
    print(f"\n$ python {name} {shlex.join(arguments)}", flush=True)
    program(arguments)
    sys.stdout.flush()


def chosen_sentences(folder: Path) -> list[tuple[str, str]]:
    """Return test sentences of different lengths with their references, read from the files of the run."""
    files = (min((folder / "translations").glob(f"test.*.{side}.*")) for side in ("src", "ref"))
    sources, references = (file.read_text("utf-8").removesuffix("\n").split("\n") for file in files)
    pairs = sorted(zip(sources, references, strict=True), key=lambda pair: (len(pair[0]), pair))
    return [pairs[len(pairs) * (part + 1) // (SENTENCES + 1)] for part in range(SENTENCES)]


if __name__ == "__main__":
    main()
