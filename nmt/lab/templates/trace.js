"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const state = { ...data.choice, step: 0 };
const FROM_SCORES = new Set(["scaled", "masked", "softmax", "sparsemax", "entmax"]);
const SCORES = new Set(["scores", "scaled", "masked"]);
const byId = (id) => document.getElementById(id);

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const steps = () => data.layers[state.layer - 1][state.head - 1];
const finite = (values) => values.flat().filter((value) => value !== null);
const largest = (values) => Math.max(...finite(values).map(Math.abs), 1e-9);
const perToken = (step) => step.labels.length > 0 && !Array.isArray(step.values[0]); // one number for each token

function decimal(value) {
  if (value === null) return "−∞";
  const text = Math.abs(value) < 100 ? value.toFixed(3) : value.toFixed(1);
  return text === "-0.000" ? "0.000" : text.replace("-", "−");
}

// "W^Q h_j" with the Q raised and the j lowered.
function equation(text) {
  return text.split(/([_^]\w)/).map((part) => (/^[_^]/.test(part)
    ? element(part[0] === "_" ? "sub" : "sup", { textContent: part[1] }) : part));
}

// --- the numbers of a step

function token(label) {
  return element("th", { textContent: label, dir: /^<.*>$/.test(label) ? "ltr" : "auto" });
}

function tinted(value, top) {
  const cell = element("td", { className: `tinted ${value < 0 ? "minus" : "plus"}`, textContent: decimal(value) });
  cell.style.setProperty("--weight", value === null ? 0 : 0.65 * Math.abs(value) / top);
  return cell;
}

// With `least`, the bar shows how far the value is above it; otherwise its absolute value, with a colour for the sign.
function bar(value, top, least) {
  const made = element("i", { className: least === undefined && value < 0 ? "minus" : "plus" });
  const share = least === undefined ? Math.abs(value) / top : (value - least) / Math.max(top - least, 1e-9);
  made.style.width = `${value === null ? 0 : 100 * share}%`;
  return element("td", { className: "bar" }, made);
}

function table(headings, rows) {
  const head = element("tr", {}, ...headings.map((textContent) => element("th", { textContent })));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}

// One number for each token, beside the scores that it was computed from.
function tokenTable(step, index) {
  const before = FROM_SCORES.has(step.name) && steps().slice(0, index).filter(perToken).at(-1);
  const least = SCORES.has(step.name) ? Math.min(...finite(step.values)) : undefined; // only their differences matter
  const top = least === undefined ? largest(step.values) : Math.max(...finite(step.values));
  const rows = step.values.map((value, i) => element("tr", {}, token(step.labels[i]),
    ...(before ? [element("td", { className: "before", textContent: decimal(before.values[i]) })] : []),
    element("td", { textContent: decimal(value) }), bar(value, top, least)));
  return table(["", ...(before ? [before.name] : []), step.name, ""], rows);
}

// The best next tokens; the one of the translation is marked.
function nextTable(step) {
  const rows = step.values.map(([logit, probability], i) => element("tr",
    { className: step.labels[i] === data.token ? "now" : "" }, token(step.labels[i]),
    element("td", { textContent: decimal(logit) }), element("td", { textContent: decimal(probability) }),
    bar(probability, 1)));
  return table(["", ...step.columns, ""], rows);
}

function matrix(step) {
  const rows = step.labels.length ? step.values : [step.values], top = largest(rows);
  const numbers = rows[0].map((_, j) => j + 1);
  return table(["", ...numbers], rows.map((row, i) => element("tr", {}, token(step.labels[i] ?? ""),
    ...row.map((value) => tinted(value, top)))));
}

function numbers(step, index) {
  if (!Array.isArray(step.values)) return element("p", { textContent: decimal(step.values) });
  if (step.columns.length) return nextTable(step);
  return perToken(step) ? tokenTable(step, index) : matrix(step);
}

function shapeOf(step) {
  const width = step.shape.at(-1), held = [step.values].flat(2).length / (step.labels.length || 1);
  const shape = step.shape.length ? `shape (${step.shape.join(", ")}${step.shape.length === 1 ? "," : ""})` : "one number";
  if (step.columns.length) return `${shape}; shown: the most probable tokens`;
  return perToken(step) || !(width > held) ? shape : `${shape}; shown: the first ${held} of ${width} columns`;
}

// --- what is shown

function draw() {
  const all = steps(), step = all[state.step];
  byId("steps").replaceChildren(...all.map((each, i) => {
    const button = element("button", { type: "button", textContent: `${i + 1}. ${each.name}` });
    if (i === state.step) button.setAttribute("aria-current", "step");
    button.addEventListener("click", () => show({ step: i }));
    return element("li", {}, button);
  }));
  byId("name").textContent = `${state.step + 1}. ${step.name}`;
  byId("equation").replaceChildren(...equation(step.equation));
  byId("sentence").textContent = step.sentence;
  byId("shape").textContent = shapeOf(step);
  byId("values").replaceChildren(numbers(step, state.step));
  byId("previous").disabled = state.step === 0;
  byId("next").disabled = state.step === all.length - 1;
}

// A change of layer or head stays at the step of the same name.
function show(changes) {
  const name = steps()[state.step].name;
  Object.assign(state, changes);
  if (!("step" in changes)) state.step = Math.max(0, steps().findIndex((each) => each.name === name));
  state.step = Math.max(0, Math.min(state.step, steps().length - 1));
  const inList = byId("steps").contains(document.activeElement);
  draw();
  if (inList) byId("steps").querySelector("[aria-current]").focus();
}

byId("tokens").append(...["<s>", ...data.pieces].map((label, i) => element("li", {
  textContent: label, dir: /^<.*>$/.test(label) ? "ltr" : "auto",
  className: i === data.position ? "now" : i > data.position ? "later" : "",
})));
for (const [name, count] of [["layer", data.layers.length], ["head", data.layers[0].length]]) {
  const select = byId(name);
  select.append(...Array.from({ length: count }, (_, i) => element("option", { value: i + 1, textContent: i + 1 })));
  select.value = state[name];
  select.disabled = count < 2;
  select.addEventListener("change", () => show({ [name]: Number(select.value) }));
}
byId("previous").addEventListener("click", () => show({ step: state.step - 1 }));
byId("next").addEventListener("click", () => show({ step: state.step + 1 }));
addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!by || event.target.closest?.("select") || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  show({ step: state.step + by });
});
draw();
