// The steps of a computation, one after another: equation, numbers, and a sentence about each.

const STEPS = JSON.parse(byId("steps").textContent);
const FROM_SCORES = ["scaled", "masked", "softmax", "sparsemax", "entmax"]; // shown beside what they are computed from
const SCORES = ["scores", "scaled", "masked"]; // only their differences matter
const finite = (values) => [values].flat(2).filter((value) => value !== null);
const perToken = ({ labels, values }) => labels.length > 0 && !Array.isArray(values[0]); // one number for each token
const named = (name) => STEPS.names[language][name] ?? name;

function decimal(value) {
  if (value === null) return "−∞";
  const text = Math.abs(value) < 100 ? value.toFixed(3) : value.toFixed(1);
  return text === "-0.000" ? "0.000" : text.replace("-", "−");
}

// A cell with a number, or a bar. The share of the value in `top` is the strength of its colour, or its length.
function cell(textContent, value, top = Infinity, className = "") {
  const sign = value < 0 ? "minus" : "", style = `--share: ${Math.abs(value) / top}`;
  return element("td", { textContent, className: `${className} ${sign}`, style });
}

// The numbers of a step: for each token a number, beside the scores that it comes from; the best tokens; or vectors.
function tableOf(step, all, token) {
  const { name, labels, columns, values } = step, isList = perToken(step), hasBars = isList || columns.length > 0;
  const before = isList && FROM_SCORES.includes(name) ? all.slice(0, all.indexOf(step)).filter(perToken).slice(-1) : [];
  const least = isList && SCORES.includes(name) ? Math.min(...finite(values)) : 0;
  const top = columns.length ? 1 : Math.max(...finite(values).map((value) => Math.abs(value - least)), 1e-9);
  const rows = labels.length ? values.map((value) => [value].flat()) : [[values].flat()];
  const names = isList ? [...before, step].map((each) => each.name) : columns;
  const headings = hasBars ? names.map(named) : rows[0].map((_, j) => j + 1);
  const lines = rows.map((row, i) => element("tr", { className: columns.length && labels[i] === token ? "now" : "" },
    element("th", { textContent: shown(labels[i] ?? ""), dir: "auto" }),
    ...before.map(({ values }) => cell(decimal(values[i]), values[i], Infinity, "before")),
    ...row.map((value) => cell(decimal(value), value, hasBars ? Infinity : top / 0.65)),
    hasBars ? cell("", (row.at(-1) ?? least) - least, top, "bar") : ""));
  const head = element("tr", {}, ...["", ...headings].map((textContent) => element("th", { textContent })));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines));
}

function shapeOf({ shape, columns, labels, values }) {
  const width = shape.at(-1), count = [values].flat(2).length / (labels.length || 1);
  const size = shape.length === 1 ? `${width},` : shape.join(", ");
  return [say(shape.length ? "shape" : "one_number", { size }), ...(columns.length ? [say("best_shown")] : []),
    ...(!columns.length && count > 1 && width > count ? [say("first_shown", { count, width })] : [])].join("; ");
}

class Steps {
  // The arrow keys move from step to step while the focus is within `keys`.
  constructor(box, keys = box) {
    Object.assign(this, { all: [], index: 0 });
    box.classList.add("stepper");
    box.append(this.menu = element("ol"), this.step = element("div", { ariaLive: "polite" }));
    keys.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by || event.target.closest?.("select") || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.go(this.index + by);
    });
    document.addEventListener("language", () => this.go(this.index));
  }

  // `token` is the label of the token that was chosen, `classes` and `names` those of nmt/lab/trace/texts.py. It stays
  // at the step of the same name.
  show(all, { token, classes, names }) {
    const name = this.all[this.index]?.name;
    Object.assign(this, { all, token, classes, names });
    this.go(all.findIndex((each) => each.name === name));
  }

  go(index) {
    const { all, token } = this, step = all[this.index = Math.max(0, Math.min(index, all.length - 1))];
    if (!step) return;
    const inMenu = this.menu.contains(document.activeElement);
    const buttons = all.map(({ name }, i) => element("button", {
      type: "button", textContent: `${i + 1}. ${named(name)}`, onclick: () => this.go(i) }));
    this.menu.replaceChildren(...buttons.map((each) => element("li", {}, each)));
    const own = Object.assign(buttons[this.index], { ariaCurrent: "step" });
    if (inMenu) own.focus();
    this.step.replaceChildren(
      element("h3", { textContent: own.textContent }),
      element("p", { className: "equation" }, ...this.equation(step)),
      element("p", { className: "sentence", textContent: this.sentence(step) }),
      element("p", { className: "note", textContent: shapeOf(step) }),
      element("div", { className: "scroll" }, tableOf(step, all, token)));
  }

  texts(table) {
    return Object.assign({}, ...["", ...this.classes].map((each) => table[each]));
  }

  // "W^Q h_j" with the Q raised and the j lowered.
  equation({ name }) {
    let found = this.texts(STEPS.equations)[name] ?? "";
    for (const [step, other, old, now] of STEPS.beside) {
      if (step === name && this.names.includes(other)) found = found.replace(new RegExp(old), now);
    }
    return found.split(/([_^]\w)/).map((part) => (
      /^[_^]/.test(part) ? element(part[0] === "_" ? "sub" : "sup", { textContent: part[1] }) : part));
  }

  sentence({ name, labels, values, shape, rank }) {
    const all = [values].flat(2), hidden = all.length - finite(all).length, own = values[labels.indexOf(this.token)];
    const key = name === "masked" && !hidden ? "masked, nothing" : rank === 1 ? "next token, best" : name;
    return filled(this.texts(STEPS.sentences[language])[key] ?? "", {
      hidden, tokens: all.length, sum: finite(all).reduce((total, value) => total + value, 0).toFixed(3),
      piece: shown(this.token), probability: own?.[1]?.toFixed(3), rank, vocabulary: shape[0],
    });
  }
}
