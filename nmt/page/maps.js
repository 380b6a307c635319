// The explorer of attention: every kind, layer and head of a model, or of several models side by side.
//
// A map is {source, target, details, off, pieces, words}. Pieces and words have a view for each kind of attention:
// {rows, columns, weights: [layer][head][row][column], reach, rolls, cells, source}. If it rolls, the last layer stands
// for all.

const KINDS = { cross: ["target", "source"], encoder_self: ["source", "source"], decoder_self: ["target", "read"] };
const CHOICES = ["kind", "layer", "head", "level"];
const STRONG = 0.77; // of the strongest colour: from here on, a text in the colour of the page is easier to read

// The weights, by row and column, of a layer and a head or their means; null if this model has no such layer or head.
// A model with one of them has no choice.
function chosenWeights({ weights, rolls }, { layer, head }) {
  const some = (all, number) => (number && all.length > 1 ? all.slice(number - 1, number) : all);
  const all = weights ?? [], layers = rolls && !layer ? all.slice(-1) : some(all, layer);
  const heads = layers.flatMap((each) => some(each, head));
  return heads.length ? heads[0].map((row, i) => row.map((_, j) => mean(heads.map((each) => each[i][j])))) : null;
}

function picture(weights, colour) {
  const canvas = element("canvas", { width: weights[0].length, height: weights.length });
  const pixels = weights.flatMap((row) => row.flatMap((weight) => [...colour, 255 * weight]));
  canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels), canvas.width), 0, 0);
  return canvas;
}

// Lets the arrow keys move over elements, some in each row. The Tab key comes back to the last one.
function rove(box, all, perRow, first) {
  const reach = (one) => all.forEach((each) => { each.tabIndex = each === one ? 0 : -1; });
  reach(first);
  box.addEventListener("focusin", ({ target }) => reach(target));
  box.addEventListener("keydown", (event) => {
    const along = box.dir === "rtl" ? -1 : 1;
    const by = { ArrowDown: perRow, ArrowUp: -perRow, ArrowRight: along, ArrowLeft: -along }[event.key];
    if (!by) return;
    event.preventDefault();
    all[all.indexOf(event.target) + by]?.focus();
  });
}

class Maps {
  constructor(box, texts = {}, heard = {}) {
    Object.assign(this, { box, texts, models: [], ...heard });
    [this.help, this.readout, this.maps, this.axes] = [".help span", ".readout", ".maps", ".axes"].map(
      (each) => box.querySelector(each));
    const mark = (...place) => {
      this.point(...place);
      this.onplace?.(...place);
    };
    for (const name of ["pointerover", "focusin", "click", "pointerleave", "focusout"]) {
      this.maps.addEventListener(name, ({ type, target }) => {
        const row = target.parentElement.rowIndex - 1, column = target.cellIndex - 1, model = target.closest("section");
        const isPlace = row + column > -2 && !/leave|out$/.test(type);
        mark(...isPlace ? [[...this.maps.children].indexOf(model), row, column] : [0, -1, -1]);
      });
    }
    this.maps.addEventListener("keydown", ({ key, target }) => key === "Escape" && target.blur());
    byId("step").addEventListener("input", ({ target: { value } }) => (
      mark(this.panels.findIndex(({ rows }) => rows?.length >= value), value - 1, -1)));
    for (const id of CHOICES) byId(id).addEventListener("change", ({ target }) => this.choose({ [id]: target.value }));
    document.addEventListener("language", () => this.draw());
  }

  get choice() {
    const [kind, layer, head, level] = CHOICES.map((name) => byId(name).value);
    return { kind, layer: Number(layer) || null, head: Number(head) || null, level };
  }

  // Shows the maps of a sentence, one of each model. Heads in the set `off` of a map, as "cross.1.3", are crossed out.
  show(models) {
    Object.assign(this, { models, place: null });
    this.draw();
  }

  choose(changes) {
    for (const [name, value] of Object.entries(changes)) byId(name).value = value ?? "";
    if (changes.kind || changes.level) this.place = null; // the rows change
    this.draw();
    this.onchange?.();
  }

  // Shows a row, a column or a cell of a model; without arguments, all.
  point(model = 0, row = -1, column = -1) {
    this.place = row < 0 && column < 0 ? null : { model, row, column };
    this.highlight();
  }

  draw() {
    offer(byId("level"), Object.keys(LEVELS).map((name) => [name, say(name)]));
    const texts = { ...words.kinds, ...this.texts }, levels = this.models.map((map) => map[this.choice.level]);
    const kinds = Object.keys(texts).filter((kind) => levels.some((level) => level[kind]));
    this.box.hidden = !kinds.length;
    if (!kinds.length) return;
    offer(byId("kind"), kinds.map((kind) => [kind, texts[kind][0]]));
    const [title, rows, columns, question] = texts[this.choice.kind];
    const views = levels.map((level) => level[this.choice.kind] ?? { weights: [[]], rows: [], columns: [] });
    const number = (name, counts) => {
      const each = Array.from({ length: Math.max(...counts) }, (_, i) => [i + 1, i + 1]);
      offer(byId(name), each.length > 1 ? [["", say("all")], ...each] : [["", 1]]); // one stands for all
    };
    number("layer", views.map(({ weights }) => weights.length));
    number("head", views.map(({ weights }) => weights[0].length));
    const buttons = () => [...this.maps.querySelectorAll("button")], focus = buttons().indexOf(document.activeElement);
    this.panels = views.map((view) => ({
      ...view, shown: chosenWeights(view, this.choice),
      dir: isRightToLeft(view.columns.join(" ").replace(/<\S+>/g, "")) ? "rtl" : "ltr",
    }));
    this.maps.replaceChildren(...this.panels.map((panel, model) => element("section", {},
      element("p", { className: "note", textContent: this.models[model].details }),
      panel.shown ? this.table(panel, title) : element("p", { textContent: say("none") }), this.heads(panel, model))));
    this.help.textContent = question ?? say("help_maps");
    const labels = views.flatMap((view) => [...view.rows, ...view.columns]);
    this.axes.textContent = `${say("axes", { title, rows, columns })} ${legend(labels)}`;
    byId("step").max = Math.max(...views.map((view) => view.rows.length));
    buttons()[focus]?.focus();
    this.highlight();
  }

  table({ rows, columns, shown: weights, cells, reach, source, dir }, title) {
    const token = (label) => element("th", { textContent: shown(label), title: label, dir: "auto" });
    const lines = weights.map((row, i) => element("tr", {}, token(rows[i]), ...row.map((weight, j) => element("td", {
      textContent: cells ? shown(cells[i][j]) : weight < 0.005 ? "" : (100 * weight).toFixed(0),
      className: j >= reach[i] ? "masked" : weight > STRONG ? "strong" : "", style: `--weight: ${weight}`,
    }))));
    const head = element("tr", {}, element("td"), ...columns.map(token)), style = `--columns: ${columns.length}`;
    const table = element("table", { role: "grid", ariaLabel: title, className: cells ? "texts" : "", dir, style },
      element("thead", {}, head), element("tbody", {}, ...lines));
    if (source) for (const line of [head, ...lines]) line.cells[source + 1].classList.add("border");
    rove(table, [head, ...lines].flatMap((line) => [...line.cells]), columns.length + 1, lines[0].cells[0]);
    return element("div", { className: "scroll" }, table);
  }

  // Small pictures of all layers, one below another, and of their heads side by side. One can choose each of them.
  heads({ weights: layers, rolls, dir }, model) {
    const { kind, ...choice } = this.choice, perRow = layers[0].length;
    if (rolls || layers.length * perRow < 2) return "";
    const layer = layers.length > 1 ? choice.layer : 1, head = perRow > 1 ? choice.head : 1;
    const colour = getComputedStyle(this.box).getPropertyValue("--heat").trim().split(" ");
    const button = (properties, ...children) => element("button", { type: "button", ...properties }, ...children);
    const all = layers.flatMap((heads, i) => heads.map((weights, j) => {
      const one = { layer: i + 1, head: j + 1 }, chosen = layer === i + 1 && head === j + 1;
      const className = this.models[model].off?.has(`${kind}.${i + 1}.${j + 1}`) ? "off" : "";
      const ariaLabel = say(className ? "dead_head" : "one_head", one);
      const onclick = () => this.choose(chosen ? { layer: null, head: null } : one);
      const properties = { ariaLabel, title: ariaLabel, ariaPressed: `${chosen}`, className, onclick };
      return button(properties, picture(weights, colour));
    }));
    const own = all.find((each) => each.ariaPressed === "true");
    const grid = element("div", { className: `grid ${dir}`, style: `--heads: ${perRow}` }, ...all);
    rove(grid, all, perRow, own ?? all[0]);
    const textContent = say(own?.className ? "switch_on" : "switch_off");
    const onclick = () => this.onoff(kind, layer, head, model);
    return element("div", {}, grid, this.onoff && own ? button({ textContent, onclick }) : "");
  }

  highlight() {
    const { place, panels } = this, own = panels[place?.model], step = byId("step");
    // The same place in another panel, if it has the same tokens there.
    const isSame = (panel) => own?.shown && panel.shown && panel.rows[place.row] === own.rows[place.row] &&
      panel.columns[place.column] === own.columns[place.column];
    panels.forEach((panel, model) => {
      const { row, column } = isSame(panel) ? place : { row: -1, column: -1 };
      this.maps.children[model].querySelectorAll("th, tbody td").forEach((made) => {
        const i = made.parentElement.rowIndex - 1, j = made.cellIndex - 1, isToken = i < 0 || j < 0;
        const crosses = (i < 0) === (column < 0) && (j < 0) === (row < 0);
        const weight = crosses ? panel.shown[Math.max(row, i)][Math.max(column, j)] : 0;
        if (isToken) made.style.setProperty("--weight", weight);
        if (isToken) made.classList.toggle("strong", weight > STRONG);
        made.classList.toggle("chosen", i === row && j === column);
        made.classList.toggle("dim", !isToken && Math.max(row, column) >= 0 && i !== row && j !== column);
      });
    });
    this.readout.textContent = own?.shown ? this.describe(own, place) : say("point");
    step.value = (place?.row ?? -1) + 1;
    step.ariaValueText = this.readout.textContent;
  }

  describe({ rows, columns, shown: weights, reach, cells }, { row, column }) {
    const isolated = (label) => (isRightToLeft(label) ? `\u2067${label}\u2069` : label);
    const quoted = (label) => say("quoted", { label: isolated(shown(label ?? "")) });
    const list = (labels, values) => labels.map((label, i) => [quoted(label), values[i]])
      .filter(([, weight]) => weight >= 0.01).sort((a, b) => b[1] - a[1]).slice(0, 6)
      .map(([label, weight]) => `${label} ${percent(weight)}`).join(", ");
    const key = this.choice.kind in this.texts ? "view_" : "", said = cells ? `, ${quoted(cells[row]?.[column])}` : "";
    const places = { from: quoted(rows[row]), to: quoted(columns[column]) };
    if (column < 0) return say(`${key}attends`, { ...places, list: list(columns, weights[row]) });
    if (row < 0) return say(`${key}attended`, { ...places, list: list(rows, weights.map((each) => each[column])) });
    if (column >= reach[row]) return say("later", places);
    return say(`${key}gives`, { ...places, weight: percent(weights[row][column]), said });
  }
}

// --- words, as in nmt/attention_map.py

const CONTINUES = /^<[89AB][0-9A-F]>$/; // a byte that is not the first of a character
// In scripts without spaces, each piece is a word.
const UNSPACED = String.raw`(?:[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u30fc\uff70\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}` +
  String.raw`\p{sc=Myanmar}]|(?![\p{Nd}\p{sc=Latin}])[\u3000-\u303f\uff00-\uffef])`;
const BETWEEN = new RegExp( // words: the pieces on both sides
  String.raw`\n(?:▁|</?s>$|<pad>$)|^(?:</?s>|<pad>)\n|^(?!▁\n).*(?:${UNSPACED}\n|\n${UNSPACED})`, "su");

// The words of a sentence: their labels, and the positions of their pieces.
function wordsOf(pieces) {
  const found = [];
  let before = "</s>";
  pieces.forEach((piece, i) => {
    const begins = !CONTINUES.test(piece);
    if (begins ? BETWEEN.test(`${before}\n${piece}`) : !i) found.push({ label: "", at: [] });
    const word = found.at(-1);
    word.at.push(i);
    if (begins || !i) word.label += piece;
    if (begins) before = piece;
  });
  return found.map(({ label, at }) => ({ label: label.replace(/^▁(?=.)/su, ""), at }));
}

const LEVELS = { pieces: (pieces) => pieces.map((label, i) => ({ label, at: [i] })), words: wordsOf };

// The map of a sentence of an answer.
function levels({ pieces, source_pieces, attention }) {
  const sides = { source: source_pieces, target: pieces, read: ["<s>", ...pieces.slice(0, -1)] };
  const view = (kind, level) => {
    const [rows, columns] = KINDS[kind].map((side) => LEVELS[level](sides[side]));
    const merged = (head) => rows.map((row) => columns.map((column) => (
      mean(row.at.map((i) => column.at.reduce((sum, j) => sum + (head[i][j] ?? 0), 0)))))); // later tokens have none
    const seen = ({ at }) => columns.filter((column) => kind !== "decoder_self" || column.at[0] <= at.at(-1)).length;
    const [labels, others] = [rows, columns].map((side) => side.map(({ label }) => label));
    const weights = attention[kind].map((heads) => heads.map(merged));
    return { rows: labels, columns: others, weights, reach: rows.map(seen), rolls: false, cells: null, source: null };
  };
  const kinds = Object.keys(KINDS).filter((kind) => attention?.[kind]);
  const level = (name) => Object.fromEntries(kinds.map((kind) => [kind, view(kind, name)]));
  return { pieces: level("pieces"), words: level("words") };
}
