"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const first = data.choice;
const state = {
  sentence: 0, kind: first.kind, layer: first.layer, head: first.head, level: first.words ? "words" : "pieces",
  form: "map", scale: first.scaled ? "highest" : "one",
};
// A place is a row (its column is -1), a column (its row is -1), or a cell of a panel: the map of one model.
let hovered = null, focused = null; // the place that is pointed at, and the one that has the focus
let panels = [];

const byId = (id) => document.getElementById(id);

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function svg(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const longest = data.longest_label;
const cut = (label) => ([...label].length > longest ? [...label].slice(0, longest - 1).join("") + "…" : label);
const shown = (label) => cut(label.replace(/^▁+$/, "␣"));
const isMark = (label) => /^<.*>$/.test(label);

// The first letter decides, as with dir="auto".
function direction(text) {
  const letter = text.match(/\p{L}/u);
  return letter && /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letter[0]) ? "rtl" : "ltr";
}

// A kind of attention, or another view, with its labels. Its weights are null if this model has no such attention.
function seen(level, kind) {
  if (level.views[kind]) return level.views[kind];
  const ofSource = kind === "encoder_self" || kind === "rollout", ofPrefix = kind === "decoder_self";
  return {
    weights: level[kind], rolls: kind === "rollout", reach: ofPrefix ? level.reach : null, cells: null, source: null,
    rows: ofSource ? level.source : level.target, columns: ofPrefix ? level.read : level.source,
  };
}

// The weights, by row and column, that the choices name; null if this model has no such layer or head.
function chosenWeights({ weights: layers, rolls }) {
  if (!layers || state.layer > layers.length) return null;
  if (rolls) return layers[(state.layer || layers.length) - 1];
  if (state.head > layers[0].length) return null;
  const some = state.layer ? [layers[state.layer - 1]] : layers;
  const heads = some.flatMap((layer) => (state.head ? [layer[state.head - 1]] : layer));
  return heads[0].map((row, i) => row.map((_, j) => mean(heads.map((head) => head[i][j]))));
}

// The weight with the strongest colour, as in the pictures: the highest of nine rows in ten, at least twice an even one.
function strongest(weights) {
  if (state.scale === "one") return 1;
  const highest = weights.map((row) => Math.max(...row)).sort((a, b) => a - b);
  const place = 0.9 * (highest.length - 1), below = highest[Math.floor(place)], above = highest[Math.ceil(place)];
  return Math.min(1, Math.max(below + (place % 1) * (above - below), 2 / weights[0].length));
}

function equal(labels, others) {
  return labels.length === others.length && labels.every((label, i) => label === others[i]);
}

function makePanel(map, index) {
  const level = map[state.level], { rows, columns, reach, cells, source, ...kind } = seen(level, state.kind);
  const weights = chosenWeights(kind);
  return {
    index, rows, columns, weights, top: weights ? strongest(weights) : 0, texts: cells, border: source,
    reach: reach || rows.map(() => columns.length), isView: state.kind in level.views,
    rowsDirection: direction(equal(rows, level.source) ? map.source : map.target),
    columnsDirection: equal(columns, level.read) ? direction(map.target)
      : source || equal(columns, level.source) ? direction(map.source) : "ltr", // the last are the layers
    rowTokens: [], columnTokens: [], cells: [], lines: [],
  };
}

// --- drawing

function placed(made, panel, row, column) {
  Object.assign(made.dataset, { panel: panel.index, row, column });
  made.tabIndex = -1;
  return made;
}

function token(name, label, panel, row, column) {
  const [title, dir] = [label === cut(label) ? "" : label, isMark(label) ? "ltr" : "auto"];
  const made = element(name, { textContent: shown(label), title, dir });
  made.classList.toggle("short", panel.texts !== null || [...shown(label)].length < 3); // columns of texts are wide
  made.classList.toggle("border", row < 0 && column === panel.border);
  return placed(made, panel, row, column);
}

function makeTokens(panel, name) {
  panel.columnTokens = panel.columns.map((label, j) => token(name, label, panel, -1, j));
  panel.rowTokens = panel.rows.map((label, i) => token(name, label, panel, i, -1));
}

function drawMap(panel, box) {
  makeTokens(panel, "th");
  const head = element("tr", {}, element("td", { className: "corner" }), ...panel.columnTokens);
  panel.cells = panel.weights.map((row, i) => row.map((weight, j) => {
    const text = panel.texts ? shown(panel.texts[i][j]) : weight < 0.005 ? "" : (100 * weight).toFixed(0);
    const cell = placed(element("td", { textContent: text }), panel, i, j);
    cell.classList.toggle("masked", j >= panel.reach[i]);
    cell.classList.toggle("border", j === panel.border);
    cell.classList.toggle("said", panel.texts !== null);
    tint(cell, Math.min(1, weight / panel.top));
    return cell;
  }));
  const body = panel.rowTokens.map((name, i) => element("tr", {}, name, ...panel.cells[i]));
  const table = element("table", { dir: panel.columnsDirection },
    element("thead", {}, head), element("tbody", {}, ...body));
  table.style.setProperty("--columns", panel.columns.length);
  box.append(table);
}

function drawLines(panel, outer) {
  makeTokens(panel, "span");
  const above = element("div", { className: "tokens", dir: panel.columnsDirection }, ...panel.columnTokens);
  const below = element("div", { className: "tokens", dir: panel.rowsDirection }, ...panel.rowTokens);
  const picture = svg("svg", { "aria-hidden": "true" });
  const box = element("div", { className: "lines" }, above, picture, below);
  outer.append(box);
  const left = box.getBoundingClientRect().left, height = picture.getBoundingClientRect().height;
  const middles = (tokens) => tokens.map((each) => {
    const place = each.getBoundingClientRect();
    return place.left + place.width / 2 - left;
  });
  const tops = middles(panel.columnTokens), bottoms = middles(panel.rowTokens);
  for (const [i, row] of panel.weights.entries()) {
    for (const [j, weight] of row.entries()) {
      if (weight < 0.01) continue; // too pale to be seen
      const line = svg("line", { x1: tops[j], y1: 2, x2: bottoms[i], y2: height - 2 });
      picture.append(line);
      panel.lines.push({ line, row: i, column: j, opacity: Math.min(1, weight / panel.top) });
    }
  }
}

function draw() {
  const models = data.sentences[state.sentence];
  byId("source").textContent = models[0].source;
  byId("target").textContent = models[0].target;
  const [title, rows, columns, question] = data.texts[state.kind];
  hovered = focused = null;
  panels = models.map(makePanel);
  const hasLater = panels.some((panel) => panel.reach.some((count) => count < panel.columns.length));
  const [rowsAre, columnsAre] = state.form === "map" ? ["Rows", "Columns"] : ["Below", "Above"];
  byId("axes").textContent = `${title}${question ? `: ${question}` : "."} ${rowsAre}: ${rows}. ${columnsAre}: ${columns}.` +
    (hasLater && state.form === "map" ? " Hatched: later tokens, which a row cannot see." : "") +
    (state.form === "map" && panels.every((panel) => !panel.texts) ? " Numbers are in %." : "");
  const top = Math.max(...panels.map((panel) => panel.top)); // one scale for all models
  byId("top").textContent = `${(100 * top).toFixed(0)} %${top < 1 ? " and more" : ""}`;
  byId("maps").replaceChildren();
  byId("maps").style.setProperty("--maps", panels.length);
  for (const panel of panels) {
    const box = element("section");
    byId("maps").append(box);
    if (panel.weights) {
      panel.top = top;
      if (state.form === "map") drawMap(panel, box);
      else drawLines(panel, box);
      panel.rowTokens[0].tabIndex = 0;
    } else box.append(element("p", { textContent: "This model has no such attention." }));
    // The details are below the map, so that all maps begin at the same height.
    box.append(element("p", { className: "note", textContent: models[panel.index].details }));
  }
  highlight();
}

// --- highlighting

function tint(made, weight) {
  made.style.setProperty("--weight", weight);
  made.classList.toggle("strong", weight > 0.7);
}

// The same place in another panel, if the token is the same there.
function placeIn(panel, place) {
  const own = place && panels[place.panel];
  const same = own && (place.row < 0 || own.rows[place.row] === panel.rows[place.row]) &&
    (place.column < 0 || own.columns[place.column] === panel.columns[place.column]);
  return same ? place : { row: -1, column: -1 };
}

function highlight() {
  const place = hovered || focused;
  for (const panel of panels) if (panel.weights) highlightPanel(panel, placeIn(panel, place));
  byId("readout").textContent = place ? describe(panels[place.panel], place) :
    "Point at a token or a cell, tap it, or move with the arrow keys.";
}

function highlightPanel(panel, { row, column }) {
  const any = row >= 0 || column >= 0;
  const colour = (i, j) => Math.min(1, panel.weights[i][j] / panel.top);
  panel.rowTokens.forEach((made, i) => {
    tint(made, row < 0 && column >= 0 ? colour(i, column) : 0);
    made.classList.toggle("chosen", i === row);
  });
  panel.columnTokens.forEach((made, j) => {
    tint(made, column < 0 && row >= 0 ? colour(row, j) : 0);
    made.classList.toggle("chosen", j === column);
  });
  panel.cells.forEach((cells, i) => cells.forEach((cell, j) => {
    cell.classList.toggle("dim", any && i !== row && j !== column);
    cell.classList.toggle("chosen", i === row && j === column);
  }));
  for (const each of panel.lines) {
    const meant = (row < 0 || each.row === row) && (column < 0 || each.column === column);
    each.line.style.opacity = meant ? each.opacity : 0.03;
  }
}

// What the place says, in words.
function describe(panel, { row, column }) {
  const quoted = (label) => `“${shown(label)}”`;
  const list = (pairs) => pairs.filter(([, weight]) => weight >= 0.01).sort((a, b) => b[1] - a[1]).slice(0, 6)
    .map(([label, weight]) => `${quoted(label)} ${weight.toFixed(2)}`).join(", ");
  const from = quoted(panel.rows[row] ?? ""), to = quoted(panel.columns[column] ?? "");
  const [gives, gets] = panel.isView ? [":", ":"] : [" attends to:", " gets attention from:"];
  if (column < 0) return `${from}${gives} ${list(panel.columns.map((label, j) => [label, panel.weights[row][j]]))}`;
  if (row < 0) return `${to}${gets} ${list(panel.rows.map((label, i) => [label, panel.weights[i][column]]))}`;
  if (column >= panel.reach[row]) return `${from} cannot see ${to}, which comes later.`;
  const said = panel.texts ? `, ${quoted(panel.texts[row][column])}` : "";
  if (panel.isView) return `${from}, ${to}: ${panel.weights[row][column].toFixed(2)}${said}`;
  return `${from} gives ${panel.weights[row][column].toFixed(2)} to ${to}.`;
}

// --- pointer and keyboard

const placeOf = ({ dataset }) => ({
  panel: Number(dataset.panel), row: Number(dataset.row), column: Number(dataset.column),
});
const tokenAt = (event) => event.target.closest?.("[data-row]");

function elementAt(panel, { row, column }) {
  if (row < 0) return panel.columnTokens[column];
  return column < 0 ? panel.rowTokens[row] : panel.cells[row][column];
}

// The place that an arrow key leads to.
function moved(panel, { row, column }, key) {
  const within = (value, least, count) => Math.max(least, Math.min(value, count - 1));
  const rows = panel.rows.length, columns = panel.columns.length;
  const down = { ArrowDown: 1, ArrowUp: -1 }[key] || 0, right = { ArrowRight: 1, ArrowLeft: -1 }[key] || 0;
  const along = (way) => (way === "rtl" ? -right : right);
  if (state.form === "map") {
    return {
      row: within(row + down, column < 0 ? 0 : -1, rows),
      column: within(column + along(panel.columnsDirection), row < 0 ? 0 : -1, columns),
    };
  }
  if (down > 0 && row < 0) return { row: within(column, 0, rows), column: -1 }; // the columns are above
  if (down < 0 && column < 0) return { row: -1, column: within(row, 0, columns) };
  if (row < 0) return { row, column: within(column + along(panel.columnsDirection), 0, columns) };
  return { row: within(row + along(panel.rowsDirection), 0, rows), column };
}

const maps = byId("maps");
maps.addEventListener("pointerover", (event) => {
  const made = tokenAt(event);
  hovered = made && event.pointerType !== "touch" ? placeOf(made) : null;
  highlight();
});
maps.addEventListener("pointerleave", () => { hovered = null; highlight(); });
maps.addEventListener("click", (event) => tokenAt(event)?.focus());
maps.addEventListener("focusin", (event) => {
  const made = tokenAt(event);
  if (!made) return;
  made.closest("section").querySelectorAll("[tabindex='0']").forEach((each) => { each.tabIndex = -1; });
  made.tabIndex = 0; // the Tab key comes back to this place
  focused = placeOf(made);
  highlight();
});
maps.addEventListener("focusout", () => { focused = null; highlight(); });
maps.addEventListener("keydown", (event) => {
  const made = tokenAt(event);
  if (!made) return;
  if (event.key === "Escape") made.blur();
  if (!event.key.startsWith("Arrow")) return;
  event.preventDefault();
  hovered = null;
  const place = placeOf(made), panel = panels[place.panel];
  elementAt(panel, moved(panel, place, event.key)).focus();
});

// --- choices

function fill(select, pairs, value) {
  select.replaceChildren(...pairs.map(([key, text]) => element("option", { value: key, textContent: text })));
  select.value = pairs.some(([key]) => String(key) === String(value)) ? value : pairs[0][0];
  select.disabled = pairs.length < 2;
}

function fillChoices() {
  const levels = data.sentences[state.sentence].map((map) => map[state.level]);
  const kinds = Object.keys(data.texts).filter((kind) => levels.some((level) => seen(level, kind).weights));
  fill(byId("kind"), kinds.map((kind) => [kind, data.texts[kind][0]]), state.kind);
  state.kind = byId("kind").value;
  const chosen = levels.map((level) => seen(level, state.kind)).filter((each) => each.weights);
  const having = chosen.map((each) => each.weights), rolls = chosen[0].rolls;
  const numbers = (counts, all, name) => {
    const most = Math.max(...counts);
    const mean = Math.min(...counts) < most ? "mean of all" : `mean of ${most}`;
    return [...(most > 1 ? [["", all || mean]] : []), ...Array.from({ length: most }, (_, i) => [i + 1, name(i + 1)])];
  };
  const layers = numbers(having.map((each) => each.length), rolls && "all", (n) => (rolls && n > 1 ? `1 to ${n}` : n));
  const heads = rolls ? [["", "mean of all"]] : numbers(having.map((each) => each[0].length), "", (n) => n);
  fill(byId("layer"), layers, state.layer || "");
  fill(byId("head"), heads, state.head || "");
  state.layer = Number(byId("layer").value) || null;
  state.head = Number(byId("head").value) || null;
}

function show(changes) {
  Object.assign(state, changes);
  fillChoices();
  for (const name of ["sentence", "level", "form", "scale"]) {
    if (byId(name)) byId(name).value = state[name];
  }
  draw();
}

if (byId("sentence")) {
  const count = data.sentences.length;
  fill(byId("sentence"), data.sentences.map((each, i) => [i, `${i + 1} of ${count}: ${each[0].source}`]), 0);
  byId("sentence").addEventListener("change", () => show({ sentence: Number(byId("sentence").value) }));
  byId("previous").addEventListener("click", () => show({ sentence: (state.sentence + count - 1) % count }));
  byId("next").addEventListener("click", () => show({ sentence: (state.sentence + 1) % count }));
}
for (const name of ["kind", "level", "form", "scale"]) {
  byId(name).addEventListener("change", () => show({ [name]: byId(name).value }));
}
for (const name of ["layer", "head"]) {
  byId(name).addEventListener("change", () => show({ [name]: Number(byId(name).value) || null }));
}
addEventListener("resize", () => { if (state.form === "lines") draw(); });
show({});
