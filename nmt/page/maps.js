// The explorer of attention: every kind, layer and head of a model, or of several models side by side.
//
// A map is {source, target, details, off, pieces, words}. Pieces and words have a view for each kind of attention:
// {rows, columns, weights: [layer][head][row][column], reach, rolls, cells, source}. If it rolls, it has no heads.

const KINDS = { cross: ["target", "source"], encoder_self: ["source", "source"], decoder_self: ["target", "read"] };
const STRONG = 0.77; // of the strongest colour: from here on, a text in the colour of the page is easier to read

// The weights, by row and column, of a layer and a head or their means; null if this model has no such layer or head.
function chosenWeights({ weights: layers, rolls }, { layer, head }) {
  if (!layers || layer > layers.length) return null;
  if (rolls) return layers[(layer ?? layers.length) - 1];
  if (head > layers[0].length) return null;
  const heads = (layer ? [layers[layer - 1]] : layers).flatMap((each) => (head ? [each[head - 1]] : each));
  return heads[0].map((row, i) => row.map((_, j) => mean(heads.map((each) => each[i][j]))));
}

function tint(made, weight) {
  made.style.setProperty("--weight", Math.min(1, weight));
  made.classList.toggle("strong", weight > STRONG);
}

function picture(weights, top, colour) {
  const canvas = element("canvas", { width: weights[0].length, height: weights.length });
  const context = Object.assign(canvas.getContext("2d"), { fillStyle: colour });
  weights.forEach((row, i) => row.forEach((weight, j) => {
    context.globalAlpha = Math.min(1, weight / top);
    context.fillRect(j, i, 1, 1);
  }));
  return canvas;
}

// Lets the arrow keys move through rows of elements. The Tab key comes back to the last one.
function rove(box, rows, first) {
  const reach = (one) => rows.flat().forEach((each) => { each.tabIndex = each === one ? 0 : -1; });
  reach(first);
  box.addEventListener("focusin", ({ target }) => reach(target));
  box.addEventListener("keydown", (event) => {
    const row = rows.findIndex((each) => each.includes(event.target)), along = box.dir === "rtl" ? -1 : 1;
    const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, along], ArrowLeft: [0, -along] }[event.key];
    if (!step) return;
    event.preventDefault();
    rows[row + step[0]]?.[rows[row].indexOf(event.target) + step[1]]?.focus();
  });
}

class Maps {
  constructor(box, { texts = {}, choice = {}, onplace = () => {}, onchange = () => {}, onoff = null } = {}) {
    Object.assign(this, { box, texts, onplace, onchange, onoff, models: [], controls: {} });
    this.choice = { kind: "cross", layer: null, head: null, level: "pieces", scale: "one", ...choice };
    for (const className of ["help", "choices", "readout", "ramp", "maps", "note"]) {
      box.append(this[className] = element("div", { className }));
    }
    this.readout.ariaLive = "polite";
    for (const id of ["kind", "layer", "head", "level", "scale", "step"]) {
      const control = this.controls[id] = element(id === "step" ? "input" : "select", { id });
      this.choices.append(element("label", {}, saying("span", id), control));
      if (id !== "step") control.addEventListener("change", () => this.choose({ [id]: control.value }));
    }
    Object.assign(this.controls.step, { type: "range", min: 0, oninput: ({ target }) => {
      mark({ model: this.panels.findIndex(({ rows }) => rows?.length >= target.value), row: target.value - 1 });
    } });
    const mark = ({ model = 0, row = -1, column = -1 } = {}) => {
      this.point(model, row, column);
      this.onplace(model, row, column);
    };
    for (const name of ["pointerover", "focusin", "click"]) {
      this.maps.addEventListener(name, ({ target }) => mark(this.places.get(target)));
    }
    for (const name of ["pointerleave", "focusout"]) this.maps.addEventListener(name, () => mark());
    this.maps.addEventListener("keydown", ({ key, target }) => key === "Escape" && target.blur());
    document.addEventListener("language", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  // Shows the maps of a sentence, one of each model. Heads in the set `off` of a map, as "cross.1.3", are crossed out.
  show(models) {
    Object.assign(this, { models, place: null });
    this.draw();
  }

  choose(changes) {
    if (changes.kind || changes.level) this.place = null; // the rows change
    Object.assign(this.choice, changes);
    this.draw();
    this.onchange(this.choice);
  }

  // Shows a row, a column or a cell of a model; without arguments, all.
  point(model = 0, row = -1, column = -1) {
    this.place = row < 0 && column < 0 ? null : { model, row, column };
    this.highlight();
  }

  // Offers what the models have, and takes the first of it in place of a choice that they do not have.
  fill(levels) {
    const { choice, controls } = this, texts = { ...words.kinds, ...this.texts };
    const offer = (name, pairs) => {
      controls[name].replaceChildren(...pairs.map(([value, text]) => new Option(text, value)));
      controls[name].value = choice[name] ?? "";
      if (controls[name].selectedIndex < 0) controls[name].selectedIndex = 0;
      controls[name].disabled = pairs.length < 2;
      choice[name] = controls[name].value;
    };
    const number = (name, counts) => {
      const each = Array.from({ length: Math.max(...counts) }, (_, i) => [i + 1, i + 1]);
      offer(name, each.length === 1 ? each : [["", say("all")], ...each]);
      choice[name] = each.length > 1 ? Number(choice[name]) || null : null; // one stands for all
    };
    const kinds = Object.keys(texts).filter((kind) => levels.some((level) => level[kind]));
    offer("kind", kinds.map((kind) => [kind, texts[kind][0]]));
    const views = levels.flatMap((level) => level[choice.kind] ?? []);
    number("layer", views.map(({ weights }) => weights.length));
    number("head", views.map(({ weights, rolls }) => (rolls ? 0 : weights[0].length)));
    offer("level", ["pieces", "words"].map((value) => [value, say(value)]));
    offer("scale", ["one", "highest"].map((value) => [value, say(value)]));
    return texts[choice.kind];
  }

  draw() {
    const { choice, models } = this, levels = models.map((map) => map[choice.level]);
    this.box.hidden = !levels.some((level) => Object.keys(level).length);
    if (this.box.hidden) return;
    const [title, rows, columns, question] = this.fill(levels);
    const buttons = () => [...this.maps.querySelectorAll("button")], focus = buttons().indexOf(document.activeElement);
    this.panels = levels.map(({ [choice.kind]: view }, model) => ({
      ...view, model, map: models[model], shown: chosenWeights(view ?? {}, choice),
      dir: isRightToLeft(view?.columns.filter((label) => !isMark(label)).join(" ") ?? "") ? "rtl" : "ltr",
    }));
    const all = this.panels.flatMap((panel) => panel.shown ?? []);
    const highest = all.map((row) => Math.max(...row)).sort((a, b) => b - a);
    this.top = choice.scale === "one" ? 1 : highest[Math.floor(highest.length / 10)]; // of nine rows in ten
    this.places = new Map(); // of tokens and cells
    this.maps.replaceChildren(...this.panels.map((panel) => element("section", {},
      panel.shown ? this.table(panel, title) : saying("p", "none"), this.heads(panel),
      element("p", { className: "note", textContent: panel.map.details }))));
    const having = (selector, key) => (this.maps.querySelector(selector) ? say(key) : "");
    this.help.textContent = `${question ?? say("help_maps")} ${having(".grid", "help_heads")}`;
    this.ramp.replaceChildren("0 %", element("i"), `${(100 * this.top).toFixed(0)} %`);
    this.note.textContent = [say("axes", { title, rows, columns }), having(".masked", "hatched"),
      legend(this.panels.flatMap((panel) => [...panel.rows ?? [], ...panel.columns ?? []]))].join(" ");
    this.controls.step.max = Math.max(...this.panels.map((panel) => panel.rows?.length ?? 0));
    buttons()[focus]?.focus();
    this.highlight();
  }

  table({ model, rows, columns, shown: weights, cells, reach, source, dir }, title) {
    const put = (name, text, row, column, properties) => {
      const made = element(name, { textContent: shown(text), ...properties });
      made.classList.toggle("border", column === source);
      this.places.set(made, { model, row, column });
      return made;
    };
    const token = (label, row, column) => (
      put("th", label, row, column, { title: label, dir: isMark(label) ? "ltr" : "auto" }));
    const number = (weight) => (weight < 0.005 ? "" : (100 * weight).toFixed(0));
    const lines = weights.map((row, i) => [token(rows[i], i, -1), ...row.map((weight, j) => {
      const made = put("td", cells ? cells[i][j] : number(weight), i, j, { className: j < reach[i] ? "" : "masked" });
      tint(made, weight / this.top);
      return made;
    })]);
    lines.unshift([element("td"), ...columns.map((label, j) => token(label, -1, j))]);
    const [head, ...body] = lines.map((line) => element("tr", {}, ...line));
    const table = element("table", { role: "grid", ariaLabel: title, className: cells ? "texts" : "", dir },
      element("thead", {}, head), element("tbody", {}, ...body));
    table.style.setProperty("--columns", columns.length);
    rove(table, lines, lines[1][0]);
    return element("div", { className: "scroll" }, table);
  }

  // Small pictures of all layers, one below another, and of their heads side by side. One can choose each of them.
  heads({ weights: layers, rolls, model, map, dir }) {
    const { kind, layer, head } = this.choice;
    if (!layers || rolls || layers.length * layers[0].length < 2) return "";
    const colour = `rgb(${getComputedStyle(this.box).getPropertyValue("--heat")})`;
    const button = (properties, ...children) => element("button", { type: "button", ...properties }, ...children);
    const isOff = (...place) => map.off?.has([kind, ...place].join(".")) ?? false;
    const buttons = layers.map((heads, i) => heads.map((weights, j) => {
      const one = { layer: i + 1, head: j + 1 }, off = isOff(i + 1, j + 1), chosen = layer === i + 1 && head === j + 1;
      const ariaLabel = say(off ? "dead_head" : "one_head", one), className = off ? "off" : "";
      const onclick = () => this.choose(chosen ? { layer: null, head: null } : one);
      const properties = { ariaLabel, title: ariaLabel, ariaPressed: `${chosen}`, className, onclick };
      return button(properties, picture(weights, this.top, colour));
    }));
    const grid = element("div", { className: `grid ${dir}` }, ...buttons.flat()), own = buttons[layer - 1]?.[head - 1];
    grid.style.setProperty("--heads", buttons[0].length);
    rove(grid, buttons, own ?? buttons[0][0]);
    const onclick = () => this.onoff(kind, layer, head, model);
    const textContent = say(isOff(layer, head) ? "switch_on" : "switch_off");
    return element("div", {}, grid, this.onoff && own ? button({ textContent, onclick }) : "");
  }

  highlight() {
    const { place, panels } = this, own = place && panels[place.model], step = this.controls.step;
    // The same place in another panel, if it has the same tokens there.
    const isSame = (panel) => own?.shown && panel.shown && panel.rows[place.row] === own.rows[place.row] &&
      panel.columns[place.column] === own.columns[place.column];
    const there = panels.map((panel) => (isSame(panel) ? place : { row: -1, column: -1 }));
    for (const [made, at] of this.places) {
      const { row, column } = there[at.model], isToken = at.row < 0 || at.column < 0;
      const crosses = (at.row < 0) === (column < 0) && (at.column < 0) === (row < 0);
      const weight = () => panels[at.model].shown[Math.max(row, at.row)][Math.max(column, at.column)] / this.top;
      if (isToken) tint(made, crosses ? weight() : 0);
      made.classList.toggle("chosen", at.row === row && at.column === column);
      made.classList.toggle("dim", !isToken && Math.max(row, column) >= 0 && at.row !== row && at.column !== column);
    }
    this.readout.textContent = own?.shown ? this.describe(own, place) : say("point");
    step.value = (place?.row ?? -1) + 1;
    step.ariaValueText = this.readout.textContent;
  }

  describe({ rows, columns, shown: weights, reach, cells }, { row, column }) {
    const isolated = (label) => (isRightToLeft(label) ? `\u2067${label}\u2069` : label);
    const quoted = (label) => say("quoted", { label: isolated(shown(label ?? "")) });
    const list = (labels, values) => labels.map((label, i) => [quoted(label), values[i]])
      .filter(([, weight]) => weight >= 0.01).sort((a, b) => b[1] - a[1]).slice(0, 6)
      .map(([label, weight]) => `${label} ${weight.toFixed(2)}`).join(", ");
    const key = this.choice.kind in this.texts ? "view_" : "", said = cells ? `, ${quoted(cells[row]?.[column])}` : "";
    const places = { from: quoted(rows[row]), to: quoted(columns[column]) };
    if (column < 0) return say(`${key}attends`, { ...places, list: list(columns, weights[row]) });
    if (row < 0) return say(`${key}attended`, { ...places, list: list(rows, weights.map((each) => each[column])) });
    if (column >= reach[row]) return say("later", places);
    return say(`${key}gives`, { ...places, weight: weights[row][column].toFixed(2), said });
  }
}

// --- words, as in nmt/attention_map.py

const CONTINUES = /^<[89AB][0-9A-F]>$/; // a byte that is not the first of a character
// In scripts without spaces, each piece is a word.
const UNSPACED = String.raw`(?:[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u30fc\uff70\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}` +
  String.raw`\p{sc=Myanmar}]|(?![\p{Nd}\p{sc=Latin}])[\u3000-\u303f\uff00-\uffef])`;
const BETWEEN = new RegExp( // words: the pieces on both sides
  String.raw`\n(?:▁|</?s>$|<pad>$)|^(?:</?s>|<pad>)\n|^(?!▁\n).*(?:${UNSPACED}\n|\n${UNSPACED})`, "su");

// The positions of the pieces of each word.
function wordsOf(pieces) {
  const found = [];
  let before = "</s>";
  pieces.forEach((piece, i) => {
    const begins = !CONTINUES.test(piece);
    if (begins ? BETWEEN.test(`${before}\n${piece}`) : !i) found.push([]);
    found.at(-1).push(i);
    if (begins) before = piece;
  });
  return found;
}

// The map of a sentence of an answer.
function levels({ source, translation, pieces, source_pieces, attention }, details = "") {
  const sides = { source: source_pieces, target: pieces, read: ["<s>", ...pieces.slice(0, -1)] };
  const merged = (head, rows, columns) => rows.map((row) => columns.map((column) => (
    mean(row.map((i) => column.reduce((sum, j) => sum + head[i][j], 0))))));
  const view = (kind, groupsOf, labelOf) => {
    const axes = KINDS[kind].map((side) => groupsOf(sides[side])), [groups, others] = axes;
    const [rows, columns] = KINDS[kind].map((side, axis) => (
      axes[axis].map((group) => labelOf(group.map((i) => sides[side][i])))));
    const weights = attention[kind].map((heads) => heads.map((head) => merged(head, groups, others)));
    const seen = (group) => others.filter(([first]) => kind !== "decoder_self" || first <= group.at(-1)).length;
    return { rows, columns, weights, reach: groups.map(seen), rolls: false, cells: null, source: null };
  };
  const level = (...how) => Object.fromEntries(
    Object.keys(KINDS).filter((kind) => attention?.[kind]).map((kind) => [kind, view(kind, ...how)]));
  const join = (own) => own.filter((piece, i) => !i || !CONTINUES.test(piece)).join("").replace(/^▁(?=.)/su, "");
  const alone = level((labels) => labels.map((_, i) => [i]), String);
  return { source, target: translation, details, pieces: alone, words: level(wordsOf, join) };
}
