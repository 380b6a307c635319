"""The findings as Markdown, JSON and figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from nmt.lab.claim import Claim, Curves, Finding, Runs
from nmt.lab.models import BATCH_TOKENS
from nmt.system.atomic import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Language = Literal["en", "ko"]
STYLES = ("-", "--", "-.", ":")
VERDICTS = {
    "en": {"supported": "supported", "contradicted": "contradicted", "undecided": "undecided"},
    "ko": {"supported": "뒷받침됨", "contradicted": "반박됨", "undecided": "판단 보류"},
}
WORDS = {
    "en": {
        "title": "The claims, measured",
        "introduction": (
            "Each row is a claim that tutorials make about attention. A difference is the mean over seeds ± half of "
            "its 95 % interval (Student's t). Its unit is percentage points or BLEU; times are ratios. It is supported "
            "if the whole interval is above 0, contradicted if it is below, otherwise undecided. With three seeds, an "
            "interval is wide. The models of a claim have the same budget: the same number of updates, tokens in a "
            f"batch ({BATCH_TOKENS}), learning rate and search. In the figures, a line goes through the means, and "
            "each small point is a seed. `make lab` makes such a page in `outputs/lab`."
        ),
        **{"claim": "claim", "difference": "what the claim predicts to be above 0", "found": "found"},
        **{"first": "the first difference that it predicts to be above 0", "verdicts": "differences in these runs"},
        **{"verdict": "in these runs", "system": "system", "parameters": "parameters", "updates": "updates"},
        **{"minutes": "minutes", "update": "ms an update", "seeds": "seeds", "how": "How it is measured"},
    },
    "ko": {
        "title": "어텐션에 관한 주장과 측정 결과",
        "introduction": (
            "표의 각 행은 튜토리얼에서 어텐션에 관해 흔히 하는 주장이다. `A - B`는 A에서 B를 뺀 값이다. 측정값은 "
            "시드별 차이의 평균이며, ± 뒤의 값은 95% 신뢰구간(스튜던트 t 분포) 폭의 절반이다. 단위는 퍼센트포인트나 "
            "BLEU이고, 시간은 비율이다. 구간 전체가 0보다 크면 뒷받침됨, 0보다 작으면 반박됨, 그 밖에는 판단 보류이다. "
            "시드가 세 개뿐이면 구간이 넓다. 한 주장의 모델들은 예산이 같다. 곧 업데이트 수, 배치의 토큰 "
            f"수({BATCH_TOKENS}개), 학습률, 탐색 방법이 같다. 그림에서 선은 평균을 잇고, 작은 점 하나는 시드 하나이다. "
            "`make lab`은 이런 문서를 `outputs/lab`에 만든다."
        ),
        **{"claim": "주장", "difference": "주장이 0보다 크다고 예측하는 값", "found": "측정값"},
        **{"first": "주장이 0보다 크다고 예측하는 첫 번째 값", "verdicts": "이 실험에서 모든 값의 판정"},
        **{"verdict": "이 실험의 판정", "system": "모델", "parameters": "매개변수 수", "updates": "업데이트 수"},
        **{"minutes": "시간 (분)", "update": "업데이트당 ms", "seeds": "시드", "how": "측정 방법"},
    },
}


@dataclass(frozen=True)
class Measured:
    """A claim with its finding and the runs it was measured on."""

    claim: Claim
    finding: Finding
    runs: Runs


def write(found: Sequence[Measured], folder: Path) -> None:
    """Write README.md, README.ko.md, claims.json and the figures to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in found:
        write_atomically(folder / f"{each.claim.name}.png", _picture(each.finding.curves))
    pages: dict[Language, str] = {"en": "README.md", "ko": "README.ko.md"}
    for language, name in pages.items():
        write_atomically(folder / name, page(found, language).encode())
    facts = json.dumps(to_dict(found), ensure_ascii=False, indent=1)
    write_atomically(folder / "claims.json", f"{facts}\n".encode())


def page(found: Sequence[Measured], language: Language) -> str:
    """Return the whole page in one language."""
    words = WORDS[language]
    parts = [f"# {words['title']}", words["introduction"], claims_table(found, language)]
    for each in found:
        claim = each.claim
        parts += [
            f"## {getattr(claim.claim, language)}",
            f"{words['how']}: {getattr(claim.method, language)}",
            f"![{claim.name}]({claim.name}.png)",
        ]
        if each.runs:
            parts.append(_budget_table(each.runs, words))
    return "\n\n".join(parts) + "\n"


def claims_table(found: Sequence[Measured], language: Language) -> str:
    """Return a row for each difference: the claim, what it predicts, what was found, and the verdict."""
    words, rows = WORDS[language], []
    for each in found:
        for number, contrast in enumerate(each.finding.contrasts):
            claim = getattr(each.claim.claim, language) if number == 0 else ""
            verdict = VERDICTS[language][contrast.verdict]
            rows.append([claim, getattr(contrast.text, language), str(contrast.interval), verdict])
    return _markdown([words[key] for key in ("claim", "difference", "found", "verdict")], rows)


def summary(facts: Sequence[Mapping[str, Any]], language: Language) -> str:
    """Return a row for each claim of claims.json: the claim, its first difference, and the verdicts on all of them."""
    words, rows = WORDS[language], []
    for each in facts:
        first, verdicts = each["contrasts"][0], Counter(contrast["verdict"] for contrast in each["contrasts"])
        counts = [f"{VERDICTS[language][verdict]} ({count})" for verdict, count in verdicts.most_common()]
        found = f"{first['mean']:.1f} ± {first['half_width']:.1f}"
        rows.append([each["claim"][language], f"{first['text'][language]}: {found}", ", ".join(counts)])
    return _markdown([words[key] for key in ("claim", "first", "verdicts")], rows)


def _budget_table(runs: Runs, words: Mapping[str, str]) -> str:
    rows = []
    for name, each in runs.items():
        metrics = [run.metrics for run in each]
        rows.append(
            [
                name,
                f"{metrics[0]['parameters']:,}",
                f"{metrics[0]['updates']:,}",
                f"{fmean(one['wall_seconds'] for one in metrics) / 60:.1f}",
                f"{fmean(one['wall_seconds'] / one['updates'] for one in metrics) * 1000:.0f}",
                ", ".join(str(run.seed) for run in each),
            ]
        )
    return _markdown([words[key] for key in ("system", "parameters", "updates", "minutes", "update", "seeds")], rows)


def _markdown(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def to_dict(found: Sequence[Measured]) -> list[dict[str, Any]]:
    """Return the findings as plain values: texts, the value of each seed, means and intervals."""
    return [
        {
            "name": each.claim.name,
            "claim": vars(each.claim.claim),
            "method": vars(each.claim.method),
            "contrasts": [
                {
                    "text": vars(contrast.text),
                    "values": list(contrast.values),
                    "mean": contrast.interval.mean,
                    "half_width": contrast.interval.half_width,
                    "verdict": contrast.verdict,
                }
                for contrast in each.finding.contrasts
            ],
            "curves": {name: dict(line) for name, line in each.finding.curves.lines.items()},
        }
        for each in found
    ]


def plot(curves: Curves) -> Figure:
    """Return the figure of the curves: the means of each system, joined by a line, and a small point for each seed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    for number, (name, line) in enumerate(curves.lines.items()):
        style = STYLES[number % len(STYLES)] if curves.joined else "none"
        means = list(map(fmean, line.values()))
        # Lines that lie on each other stay visible: later ones are thinner.
        width, size = max(1.2, 3 - 0.6 * number), max(3.5, 7.5 - 1.2 * number)
        (joined,) = axes.plot(
            list(line), means, linestyle=style, marker="o", linewidth=width, markersize=size, label=name
        )
        for place, values in line.items():
            axes.plot([place] * len(values), values, ".", color=joined.get_color(), alpha=0.4, markersize=4)
    axes.set(xlabel=curves.axis.en, ylabel=curves.height.en)
    axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
    axes.spines[["top", "right"]].set_visible(False)
    if len(curves.lines) > 1:
        axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    if not curves.joined:
        axes.tick_params(axis="x", labelrotation=30)
    return figure


def _picture(curves: Curves) -> bytes:
    buffer = BytesIO()
    plot(curves).savefig(buffer, format="png", dpi=120)
    return buffer.getvalue()
