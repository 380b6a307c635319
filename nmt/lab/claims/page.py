"""The findings as Markdown, JSON and figures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from nmt.lab.claims import CLAIMS
from nmt.lab.claims.claim import Claim, Curves, Lines, PerSeed, Runs
from nmt.lab.claims.models import BATCH_TOKENS
from nmt.lab.compare.runs import FinishedRun
from nmt.system.atomic import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Language = Literal["en", "ko"]
Facts = Sequence[Mapping[str, Any]]  # what claims.json holds: one for each claim
BUDGET = ("system", "parameters", "updates", "minutes", "update", "seeds")
STYLES = ("-", "--", "-.", ":")
VERDICTS = {
    "en": {name: name for name in ("supported", "contradicted", "undecided", "not testable")},
    "ko": {"supported": "뒷받침됨", "contradicted": "반박됨", "undecided": "판단 보류", "not testable": "판정 불가"},
}
WORDS = {
    "en": {
        "title": "The claims, measured",
        "introduction": (
            "Each row is a claim that tutorials make about attention. A difference is the mean over seeds ± half of "
            "its 95 % interval (Student's t). Its unit is percentage points or BLEU; times are ratios. It is supported "
            "if the whole interval is above 0, contradicted if it is below, otherwise undecided. The models of a claim "
            "have the same budget: the same number of updates, tokens in a "
            f"batch ({BATCH_TOKENS}), learning rate and search. In the figures, a line goes through the means, and "
            "each small point is a seed. `make lab` makes such a page in `outputs/lab`.\n\n"
            "The intervals are corrected for the number of differences of a claim (Bonferroni), so that all intervals "
            "of one claim hold together in 95 % of all cases. With three seeds, they are wide. Nothing is corrected "
            "over all claims together, so a verdict among them may be chance. Systems with exactly the "
            "same figures, as several with 100 % right, share a row and count as one verdict (but as several "
            "comparisons in the correction).\n\n"
            "A difference in what is lost with length or distance needs a model without attention that has something "
            "to lose. It is not testable unless this model is above chance near (on the shortest sentences, or at the "
            "smallest distances). It is not supported unless this model loses something: otherwise the model with "
            "attention has gained with the distance. Both are judged by 95 % intervals. Chance is the share of the "
            "most frequent answer, and for BLEU that of the reference of another sentence of this length."
        ),
        **{"claim": "claim", "difference": "what the claim predicts to be above 0", "found": "found"},
        **{"verdict": "in these runs", "system": "system", "parameters": "parameters", "updates": "updates"},
        **{"minutes": "minutes", "update": "ms an update", "seeds": "seeds", "how": "How it is measured"},
        "loss": "The mean of the model without attention is {near:.1f} near and {far:.1f} far; chance is {chance:.1f}.",
    },
    "ko": {
        "title": "어텐션에 관한 주장과 측정 결과",
        "introduction": (
            "표의 각 행은 튜토리얼에서 어텐션에 관해 흔히 하는 주장이다. `A - B`는 A에서 B를 뺀 값이다. 측정값은 "
            "시드별 차이의 평균이며, ± 뒤의 값은 95% 신뢰구간(스튜던트 t 분포) 폭의 절반이다. 단위는 퍼센트포인트나 "
            "BLEU이고, 시간은 비율이다. 구간 전체가 0보다 크면 뒷받침됨, 0보다 작으면 반박됨, 그 밖에는 판단 보류이다. "
            "한 주장의 모델들은 예산이 같다. 곧 업데이트 수, 배치의 토큰 "
            f"수({BATCH_TOKENS}개), 학습률, 탐색 방법이 같다. 그림에서 선은 평균을 잇고, 작은 점 하나는 시드 하나이다. "
            "`make lab`은 이런 문서를 `outputs/lab`에 만든다.\n\n"
            "신뢰구간은 한 주장에 속한 차이의 개수에 대해 보정하였다(본페로니). 그래서 한 주장의 구간은 95%의 확률로 "
            "모두 함께 맞는다. 시드가 세 개뿐이라 구간이 넓다. 모든 주장에 대해서는 보정하지 않았으므로, 그 "
            "가운데 어떤 판정은 우연일 수 있다. 정답률이 똑같이 100%인 경우처럼 측정값이 완전히 같은 모델들은 한 행에 "
            "모으고, 판정도 하나로 센다(보정할 때는 비교 여러 개로 센다).\n\n"
            "길이나 거리에 따라 잃는 것을 비교하려면, 어텐션 없는 모델에 잃을 것이 있어야 한다. 가까울 때(가장 짧은 "
            "문장이나 가장 짧은 거리에서) 그 모델이 우연 수준보다 높지 않으면 판정 불가이다. 또 그 모델이 실제로 "
            "잃지 않으면 뒷받침됨으로 보지 않는다. 그때는 어텐션 있는 모델이 거리에 따라 나아진 것이다. 둘 다 95% "
            "신뢰구간으로 판정한다. 우연 수준은 가장 잦은 답의 비율이며, BLEU에서는 같은 길이인 다른 문장의 참조 "
            "번역이 받는 BLEU이다."
        ),
        **{"claim": "주장", "difference": "주장이 0보다 크다고 예측하는 값", "found": "측정값"},
        **{"verdict": "이 실험의 판정", "system": "모델", "parameters": "매개변수 수", "updates": "업데이트 수"},
        **{"minutes": "시간 (분)", "update": "업데이트당 ms", "seeds": "시드", "how": "측정 방법"},
        "loss": "어텐션 없는 모델의 평균은 가까울 때 {near:.1f}, 멀 때 {far:.1f}이며, 우연 수준은 {chance:.1f}이다.",
    },
}


@dataclass(frozen=True)
class Measured:
    """A claim, what was measured for it, and the runs it was measured on."""

    claim: Claim
    curves: Curves
    runs: Runs


def write(found: Sequence[Measured], folder: Path) -> None:
    """Write README.md, README.ko.md, claims.json and the figures to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in found:
        write_atomically(folder / f"{each.claim.name}.png", _picture(each.curves))
    for name, text in texts([to_dict(each) for each in found]).items():
        write_atomically(folder / name, text.encode())


def texts(facts: Facts) -> dict[str, str]:
    """Return the names of the pages and of claims.json, each with its text."""
    return {
        "README.md": page(facts, "en"),
        "README.ko.md": page(facts, "ko"),
        "claims.json": json.dumps(facts, ensure_ascii=False, indent=1) + "\n",
    }


def page(facts: Facts, language: Language) -> str:
    """Return the whole page in one language."""
    words = WORDS[language]
    parts = [f"# {words['title']}", words["introduction"], claims_table(facts, language)]
    for each in facts:
        parts += [
            f"## {each['claim'][language]}",
            f"{words['how']}: {each['method'][language]}",
            *([words["loss"].format(**each["loss"])] if each["loss"] else []),
            f"![{each['name']}]({each['name']}.png)",
        ]
        if each["systems"]:
            rows = [_budget_row(system) for system in each["systems"]]
            parts.append(_markdown([words[key] for key in BUDGET], rows))
    return "\n\n".join(parts) + "\n"


def claims_table(facts: Facts, language: Language) -> str:
    """Return a row for each difference: the claim, what it predicts, what was found, and the verdict."""
    words, rows = WORDS[language], []
    for each in facts:
        for number, contrast in enumerate(each["contrasts"]):
            claim = each["claim"][language] if number == 0 else ""
            found = f"{contrast['mean']:.1f} ± {contrast['half_width']:.1f}"
            rows.append([claim, contrast["text"][language], found, VERDICTS[language][contrast["verdict"]]])
    return _markdown([words[key] for key in ("claim", "difference", "found", "verdict")], rows)


def _budget_row(system: Mapping[str, Any]) -> list[str]:
    numbers = (f"{system[key]:,}" for key in ("parameters", "updates"))
    return [system["system"], *numbers, system["minutes"], system["ms"], ", ".join(map(str, system["seeds"]))]


def _markdown(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def to_dict(found: Measured) -> dict[str, Any]:
    """Return what was found for a claim as plain values: texts, the value of each seed, intervals, and budgets."""
    curves = found.curves
    return {
        **_judged(found.claim, curves.lines, curves.more),
        "curves": {name: dict(line) for name, line in curves.lines.items()},
        "more": dict(curves.more),
        "systems": [_budget(name, runs) for name, runs in found.runs.items()],
    }


def judged_again(facts: Facts) -> list[dict[str, Any]]:
    """Return the facts of claims.json with the words and verdicts of today, from the stored values of each seed."""
    again = []
    for each in facts:
        lines = {name: _per_seed(line) for name, line in each["curves"].items()}
        again.append({**each, **_judged(CLAIMS[each["name"]](), lines, _per_seed(each["more"]))})
    return again


def _per_seed(values: Mapping[str, Sequence[float]]) -> dict[str, PerSeed]:
    return {name: tuple(each) for name, each in values.items()}


def _judged(claim: Claim, lines: Lines[str], more: Mapping[str, PerSeed]) -> dict[str, Any]:
    contrasts = claim.judge(lines, more)
    lost = [contrast.loss for contrast in contrasts if contrast.loss is not None]
    return {
        "name": claim.name,
        "claim": vars(claim.claim),
        "method": vars(claim.method),
        "contrasts": [
            {
                "text": vars(contrast.text),
                "values": list(contrast.values),
                "mean": contrast.interval.mean,
                "half_width": contrast.interval.half_width,
                "verdict": contrast.verdict,
            }
            for contrast in contrasts
        ],
        "loss": {"near": fmean(lost[0].near), "far": fmean(lost[0].far), "chance": lost[0].chance} if lost else None,
    }


def _budget(system: str, runs: Sequence[FinishedRun]) -> dict[str, Any]:
    metrics = [run.metrics for run in runs]
    return {
        "system": system,
        "parameters": metrics[0]["parameters"],
        "updates": metrics[0]["updates"],
        "minutes": f"{fmean(one['wall_seconds'] for one in metrics) / 60:.1f}",
        "ms": f"{fmean(one['wall_seconds'] / one['updates'] for one in metrics) * 1000:.0f}",
        "seeds": [run.seed for run in runs],
    }


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
