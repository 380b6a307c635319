// The page that translates while one types. `backend` is a server, or the models that the page holds.

const PAUSE = 250; // milliseconds after the last key
const ALTERNATIVES = 3;
const MOST_SHOWN = 3; // models side by side
const [text, source, target, prefix] = ["text", "source", "target", "prefix"].map(byId);
let languages = [], models = [], pairs = []; // pairs: the languages from which and to which the page translates
let cards = []; // one for each model that is shown
let place; // the piece of a translation that is looked at: {card, sentence, step}, without a step until one is chosen
let timer = 0, asking = new AbortController(), tracing = new AbortController();

const explorer = new Maps(byId("attention"), {}, {
  onplace: (model, row) => {
    if (!isOfTranslation()) return;
    if (row < 0) return "step" in place && look(); // the chosen piece stays
    const card = explored()[model];
    look({ card, step: rowsOf(sentenceOf(card))[row].at[0] }, false);
  },
  onchange: () => { look(); remember(); },
  onoff: switchHead,
});
const stepList = new Steps(byId("trace_steps"));

// --- the answers of the models

const tell = (textContent, className = "") => Object.assign(byId("message"), { textContent, className });

// A card shows the translation of one model.
class Card {
  constructor(model) {
    const made = byId("card").content.firstElementChild.cloneNode(true);
    Object.assign(this, { model, made, off: new Map(), answer: { nmt: [] } }); // off: heads by "cross.1.2"
    write(made);
    const find = (selector) => made.querySelector(selector);
    [this.box, this.doubts, this.others, this.note, this.allOn] = ["div", ".doubts", "ul", "span", ".all_on"].map(find);
    this.allOn.onclick = () => { this.off.clear(); translate(); };
    Object.assign(find("h2"), { textContent: model?.name, title: model?.details, hidden: !model });
    this.box.onpointerover = this.box.onclick = ({ target }) => {
      const { sentence, piece } = target.dataset;
      if (piece) look({ card: this, sentence: Number(sentence), step: Number(piece) });
    };
    const button = find("button");
    button.hidden = !navigator.clipboard; // which needs https, or this machine
    button.onclick = () => copy(button, this.answer.translatedText);
  }

  async ask(fields, signal) {
    this.box.ariaBusy = "true";
    try {
      this.show(await backend.translate({ ...fields, model: this.model?.id, off: [...this.off.values()] }, signal));
    } catch (error) {
      if (signal.aborted) return;
      this.show({ translatedText: "", nmt: [] });
      tell(error.message, "error");
    }
    if (!signal.aborted) this.box.ariaBusy = "false";
  }

  show(answer) {
    this.answer = answer;
    showTranslation(this.box, answer.translatedText, answer.nmt);
    this.box.lang = target.value;
    const [first, ...rest] = answer.nmt, whole = first && Math.exp(first.log_probs.reduce((sum, each) => sum + each, 0));
    this.note.textContent = [answer.ms ? say("milliseconds", { ms: Math.round(answer.ms) }) : "",
      first && !rest.length ? say("whole", { percent: percent(whole) }) : "",
      this.off.size ? say("heads_off", { count: this.off.size }) : ""].filter(Boolean).join(", ");
    this.allOn.hidden = !this.off.size;
    const doubts = [...new Set(answer.nmt.flatMap((each) => each.doubts))].map((each) => words.doubts[each]);
    this.doubts.textContent = doubts.length ? say("doubtful", { reasons: doubts.join(", ") }) : "";
    // Where the model can be asked for another translation, a click shows its attention and its next pieces.
    this.others.replaceChildren(...(answer.alternatives ?? []).map((other, i) => element("li", {},
      element("small", { textContent: answer.shares ? percent(answer.shares[i]) : "" }),
      element(this.model ? "button" : "span", {
        dir: "auto", lang: target.value, textContent: other, onclick: this.model && (() => begin(other)) }))));
    if (answer.detectedLanguage?.confidence) tell(say("detected", { name: nameOf(answer.detectedLanguage.language) }));
    requestAnimationFrame(explore);
  }
}

// Asks all models. An old request that still waits is given up.
function translate(alternatives = ALTERNATIVES) {
  asking.abort();
  asking = new AbortController();
  const fields = { text: text.value, source: source.value, target: target.value, alternatives, prefix: prefix.value };
  tell("");
  cards.forEach((card) => card.ask(fields, asking.signal));
}

function typed() {
  clearTimeout(timer);
  timer = setTimeout(() => { translate(); remember(); }, PAUSE);
  if (backend.quick) translate(0);
}

function begin(beginning) {
  prefix.value = beginning;
  remember();
  translate();
}

// Copies a text, and says so on the button for a moment.
async function copy(button, copied) {
  await navigator.clipboard?.writeText(copied);
  button.textContent = say(navigator.clipboard ? "copied" : "in_the_address");
  setTimeout(() => { button.textContent = say(button.dataset.say); }, 1500);
}

// --- what the models looked at

const sentenceOf = ({ answer }) => answer.nmt[Math.min(place.sentence, answer.nmt.length - 1)];
const stepOf = ({ pieces }) => Math.min(place.step ?? 0, pieces.length - 1);
const explored = () => cards.filter(sentenceOf); // the maps show them

function explore() {
  const [first] = explored();
  byId("below").hidden = !first;
  byId("readout").textContent = "";
  byId("read").replaceChildren(...nodesOf(first ? sentenceOf(first).source_pieces ?? [] : [], 0));
  if (!first) return;
  if (!explorer.models.length && explored().length < cards.length) return; // the first choice is one of all models
  explorer.show(explored().map((card) => ({ ...levels(sentenceOf(card)), details: card.model?.name, off: card.off })));
  look();
}

// The rows of a map are pieces of the translation, or words of it.
const isOfTranslation = () => ["cross", "decoder_self"].includes(explorer.choice.kind);
const rowsOf = ({ pieces }) => LEVELS[explorer.choice.level](pieces);

// The attention to the source, of the chosen layer and head if the maps show this kind.
function cross({ attention }) {
  const { kind, layer, head } = explorer.choice;
  return chosenWeights({ weights: attention?.cross }, kind === "cross" ? { layer, head } : {});
}

// Shows the pieces that were written while the model looked at one piece of the source.
function lookBack(event) {
  const { piece } = event.target.dataset, weights = piece && cross(sentenceOf(place.card));
  light(place.card.box, weights ? weights.map((row) => row[piece]) : [], place.sentence);
}

// Shows one piece of a translation: what was looked at for it, what else was likely, and how it was computed.
function look(changes = {}, pointing = true) {
  const before = place.sentence;
  Object.assign(place, changes);
  if (place.sentence !== before) return explore();
  const sentence = sentenceOf(place.card);
  if (!sentence) return;
  const { card } = place, { pieces, log_probs } = sentence, step = stepOf(sentence);
  if (pointing && "step" in place && isOfTranslation()) {
    explorer.point(explored().indexOf(card), rowsOf(sentence).findIndex(({ at }) => at.includes(step)));
  }
  document.querySelector(".piece.chosen")?.classList.remove("chosen");
  card.box.querySelector(`[data-sentence="${place.sentence}"][data-piece="${step}"]`)?.classList.add("chosen");
  const sure = { piece: textOf(pieces[step]).trim() || "␣", percent: percent(Math.exp(log_probs[step])) };
  byId("readout").textContent = pieces[step] === END ? "" : say("sure", sure);
  light(byId("read"), cross(sentence)?.[step] ?? []);
  showNext(sentence, step, cards.length > 1 ? `${card.model.name}: ` : "");
  trace();
}

// The likeliest pieces at a step. A click lets the translation begin with what is before, and the piece.
function showNext({ pieces, log_probs, next }, step, name) {
  const possible = next && place.card.answer.nmt.length === 1; // all lines of a text have the same beginning
  byId("what_if").hidden = !possible;
  if (!possible) return;
  const before = pieces.slice(0, step), list = byId("next"), hadFocus = list.contains(document.activeElement);
  const own = next[step].some(([piece]) => piece === pieces[step]) ? [] : [[pieces[step], Math.exp(log_probs[step])]];
  byId("so_far").textContent = name + (step ? say("so_far", { text: joined(before) }) : say("at_the_start"));
  list.replaceChildren(...[...next[step], ...own].map(([piece, probability]) => element("li", {},
    element("button", {
      type: "button", textContent: shown(piece), disabled: piece === END,
      className: piece === pieces[step] ? "chosen" : "", onclick: () => begin(joined([...before, piece])),
    }),
    element("span", { className: "bar", style: `--share: ${probability}` }),
    element("span", { textContent: percent(probability) }))));
  if (hadFocus) list.querySelector(".chosen").focus();
}

async function trace() {
  tracing.abort();
  const { signal } = tracing = new AbortController();
  const { card } = place, sentence = sentenceOf(card), { kind, layer, head } = explorer.choice;
  const weights = isOfTranslation() && sentence?.attention?.[kind], panel = byId("trace");
  panel.hidden = !backend.trace || byId("attention").hidden;
  byId("trace_steps").hidden = !weights;
  if (!weights) byId("traced").textContent = say("no_trace");
  if (!weights || !panel.open) return;
  const step = stepOf(sentence), one = (chosen, count, usual) => (count > 1 ? chosen ?? usual : 1);
  const own = { layer: one(layer, weights.length, weights.length), head: one(head, weights[0].length, 1) };
  const isOff = card.off.has([kind, own.layer, own.head].join("."));
  byId("traced").textContent = say("traced", { name: card.model.name, piece: shown(sentence.pieces[step]), ...own }) +
    (isOff ? ` (${say("dead_head", own)})` : "");
  const asked = {
    model: card.model.id, text: sentence.source, tokens: sentence.tokens, position: step + 1, attention: kind,
    ...own, options: { off: [...card.off.values()] },
  };
  const { steps, names } = await backend.trace(asked, signal).catch(() => ({})); // another one was asked for
  if (!steps || signal.aborted) return;
  stepList.show(steps, { token: sentence.pieces[step], classes: card.model.classes[kind], names });
}

// Switches a head of a model off, or on again.
function switchHead(kind, layer, head, model) {
  const { off } = explored()[model], name = [kind, layer, head].join(".");
  if (!off.delete(name)) off.set(name, [kind, layer, head]);
  translate();
}

// --- languages and models

// A code can be that of no language, such as that of a generated task.
function nameOf(code) {
  if (code === "auto") return say("detect");
  const name = /^[a-z]{2,3}(-[A-Z]{2}|-[A-Z][a-z]{3})?$/.test(code) &&
    new Intl.DisplayNames([language], { type: "language", fallback: "none" }).of(code);
  return name || (languages.find((each) => each.code === code)?.name ?? code);
}

const choices = (codes) => [...new Set(codes)].map((code) => [code, nameOf(code)]);

function offerTargets(chosen) {
  const isPair = (from, to) => pairs.some((pair) => pair[0] === from && pair[1] === to);
  const targets = pairs.filter(([from]) => [from, "auto"].includes(source.value)).map(([, to]) => to);
  offer(target, choices(targets), chosen);
  byId("swap").hidden = !isPair(target.value, source.value);
  const some = models.filter((each) => each.languages[0] === source.value && each.languages[1] === target.value);
  byId("models").replaceChildren(...some.map(({ id, name, details }, i) => element("label", { title: details },
    element("input", { type: "checkbox", value: id, checked: i < MOST_SHOWN, onchange: showCards }), name)));
  showCards();
}

// Keeps the cards of models that were shown before, with what was switched off in them.
function showCards() {
  const chosen = [...byId("models").querySelectorAll(":checked")].map(({ value }) => models[value]);
  cards = (models.length ? chosen : [undefined]).map(
    (model) => cards.find((card) => card.model === model) ?? new Card(model));
  byId("answers").replaceChildren(...cards.map(({ made }) => made));
  place = { card: cards[0], sentence: 0 };
  const compact = new Intl.NumberFormat(language, { notation: "compact" });
  byId("about").textContent = chosen.map(
    ({ parameters, ...each }) => say("about", { ...each, count: compact.format(parameters) })).join(" ");
  translate();
}

function swap() {
  const from = source.value;
  text.value = cards[0]?.answer.translatedText || text.value;
  source.value = target.value;
  offerTargets(from);
  typed();
}

// --- the address, and the start

function remember() {
  const fields = new URLSearchParams({ text: text.value, source: source.value, target: target.value });
  const { kind, layer, head } = explorer.choice;
  for (const [name, value] of Object.entries({ prefix: prefix.value, kind, layer, head })) if (value) fields.set(name, value);
  history.replaceState(null, "", `#${fields}`);
}

async function start() {
  const settings = await backend.start(), fields = new URLSearchParams(location.hash.slice(1));
  ({ languages, models } = settings);
  pairs = languages.flatMap(({ code, targets }) => targets.filter((to) => to !== code).map((to) => [code, to]));
  byId("key").hidden = !settings.needsKey;
  const sources = [...new Set(pairs.map(([from]) => from))], detects = sources.length > 1 && !models.length;
  offer(source, choices(detects ? ["auto", ...sources] : sources), fields.get("source") ?? sources[0]);
  text.value ||= fields.get("text") ?? settings.example ?? ""; // unless one has typed already
  prefix.value ||= fields.get("prefix") ?? "";
  prefix.parentElement.hidden = !models.length;
  for (const name of ["kind", "layer", "head"]) offer(byId(name), [[fields.get(name) ?? "", ""]]); // until there are maps
  offerTargets(fields.get("target"));
  source.onchange = target.onchange = () => offerTargets(target.value);
  text.oninput = prefix.oninput = byId("key").oninput = typed;
  byId("read").onpointerover = byId("read").onpointerleave = lookBack;
  byId("swap").onclick = swap;
  byId("share").onclick = ({ target }) => { remember(); copy(target, location.href); };
  byId("trace").ontoggle = trace;
  document.addEventListener("language", () => {
    for (const each of [...source.options, ...target.options]) each.text = nameOf(each.value);
    showCards();
  });
  typed();
}

start().catch((error) => tell(error.message, "error"));
