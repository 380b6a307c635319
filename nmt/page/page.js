// The page that translates while one types. `backend` is a server, or the models that the page holds.

const ALTERNATIVES = 3;
const MOST_SHOWN = 3; // models side by side
const cards = []; // one for each model that is shown
let languages = [], models = [];
let explored = []; // the cards whose sentences the maps show
let timer = 0, number = 0, asking = new AbortController(), tracing = new AbortController();
let place = { card: 0, sentence: 0, step: 0, isChosen: false }; // the piece of a translation that is looked at
const [text, source, target, prefix] = ["text", "source", "target", "prefix"].map(byId);

const explorer = new Maps(byId("maps"), {
  onplace: (model, row) => {
    if (row < 0 || !isOfTranslation()) return;
    const { card, sentence } = explored[model];
    look({ card: cards.indexOf(card), step: groupsOf(sentence)[row][0] }, false);
  },
  onchange: () => look({}),
  onoff: switchHead,
});
const stepList = new Steps(byId("trace_steps"));

// --- the answers of the models

// A card shows the translation of one model.
class Card {
  constructor(model) {
    this.model = model;
    this.number = 0; // of the newest answer that is shown
    this.off = []; // heads that are switched off: [kind, layer, head]
    this.answer = { translatedText: "", nmt: [] };
    this.name = element("h2", { textContent: model?.name, title: model?.details, hidden: !model });
    this.box = element("div", { className: "translation", dir: "auto", role: "group", ariaLabel: say("translation") });
    this.copy = element("button", { type: "button", textContent: say("copy"), hidden: true, onclick: () => this.copied() });
    this.note = element("span");
    this.doubts = element("p", { className: "note doubts", role: "status" });
    this.others = element("ul");
    this.made = element("section", { className: "card" }, this.name, this.box,
      element("p", { className: "note" }, this.copy, this.note), this.doubts, this.others);
    this.box.addEventListener("pointerover", (event) => this.point(event));
    this.box.addEventListener("click", (event) => this.point(event));
  }

  async ask(fields, asked, signal) {
    this.box.ariaBusy = "true";
    try {
      const answer = await backend.translate({ ...fields, model: this.model?.id, off: this.off }, signal);
      if (asked < this.number) return; // a newer one is there
      this.number = asked;
      this.show(answer);
    } catch (error) {
      if (signal.aborted) return;
      this.show({ translatedText: "", nmt: [] });
      tell(error.message, true);
    }
    if (asked === number) this.box.ariaBusy = "false";
  }

  show(answer) {
    this.answer = answer;
    showTranslation(this.box, answer.translatedText, answer.nmt);
    this.box.lang = target.value;
    this.copy.hidden = !answer.translatedText || !navigator.clipboard; // which needs https, or this machine
    this.note.textContent = [answer.ms ? say("milliseconds", { ms: Math.round(answer.ms) }) : "",
      this.off.length ? say("heads_off", { count: this.off.length }) : ""].filter(Boolean).join(", ");
    const doubts = [...new Set(answer.nmt.flatMap((each) => each.doubts))].map((each) => words.doubts[each]);
    this.doubts.textContent = doubts.length ? say("doubtful", { reasons: doubts.join(", ") }) : "";
    this.others.replaceChildren(...(answer.alternatives ?? []).map((other, i) => this.other(other, answer.shares?.[i])));
    if (answer.detectedLanguage?.confidence) tell(say("detected", { name: nameOf(answer.detectedLanguage.language) }));
    requestAnimationFrame(explore);
  }

  // Another translation. Where the model can be asked for it, a click shows its attention and its next pieces.
  other(other, share) {
    const content = element(models.length ? "button" : "span", { dir: "auto", lang: target.value, textContent: other });
    if (models.length) content.onclick = () => begin(other);
    return element("li", {}, element("small", { textContent: share ? percent(share) : "" }), content);
  }

  async copied() {
    await navigator.clipboard.writeText(this.answer.translatedText);
    this.copy.textContent = say("copied");
    setTimeout(() => { this.copy.textContent = say("copy"); }, 1500);
  }

  point(event) {
    const piece = event.target.closest("[data-piece]");
    if (piece) look({ card: cards.indexOf(this), sentence: Number(piece.dataset.sentence), step: Number(piece.dataset.piece) });
  }
}

const tell = (message, isError = false) => {
  byId("message").textContent = message;
  byId("message").classList.toggle("error", isError);
};

// Asks all models. An old request that still waits is given up.
function translate(quick = false) {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking, asked = ++number;
  const alternatives = quick ? 0 : ALTERNATIVES;
  const fields = { text: text.value, source: source.value, target: target.value, alternatives, prefix: prefix.value };
  tell("");
  if (!text.value.trim()) return cards.forEach((card) => { card.number = asked; card.show({ translatedText: "", nmt: [] }); });
  cards.forEach((card) => card.ask(fields, asked, signal));
}

function typed() {
  clearTimeout(timer);
  timer = setTimeout(() => { translate(); remember(); }, backend.pause);
  byId("count").textContent = `${text.value.length.toLocaleString()} / ${text.maxLength.toLocaleString()}`;
  if (backend.quick) translate(true);
}

function begin(beginning) {
  prefix.value = beginning;
  translate();
}

// --- what the models looked at

const sentenceOf = (card) => card?.answer.nmt[Math.min(place.sentence, card.answer.nmt.length - 1)];

function explore() {
  explored = cards.map((card) => ({ card, sentence: sentenceOf(card) })).filter(({ sentence }) => sentence);
  byId("below").hidden = !explored.length;
  if (!explored.length) return byId("read").replaceChildren();
  showSource(byId("read"), explored[0].sentence);
  byId("attention").hidden = !explored.some(({ sentence }) => sentence.attention);
  explorer.show(explored.map(({ card, sentence }) => Object.assign(
    levels(sentence, card.model?.name ?? ""), { off: new Set(card.off.map((each) => each.join("."))) })));
  look({});
}

// The rows of a map are pieces of the translation, or words of it.
const isOfTranslation = () => ["cross", "decoder_self"].includes(explorer.choice.kind);
const groupsOf = ({ pieces }) => (explorer.choice.level === "words" ? wordsOf(pieces) : pieces.map((_, i) => [i]));

// The attention to the source, of the chosen layer and head if the maps show this kind.
function cross({ attention }) {
  const { kind, layer, head } = explorer.choice;
  return chosenWeights({ weights: attention?.cross }, kind === "cross" ? { layer, head } : {});
}

// Shows the pieces that were written while the model looked at one piece of the source.
function lookBack(event) {
  const piece = event.target.dataset.piece, weights = piece && cross(sentenceOf(cards[place.card]));
  light(cards[place.card].box, weights ? weights.map((row) => row[piece]) : [], place.sentence);
}

// Shows one piece of a translation: what was looked at for it, what else was likely, and how it was computed.
function look(changes, pointing = true) {
  const before = place.sentence;
  place = { ...place, ...changes, isChosen: place.isChosen || "step" in changes };
  if (place.sentence !== before) return explore();
  const sentence = sentenceOf(cards[place.card]);
  if (!sentence) return;
  place.step = Math.min(place.step, sentence.pieces.length - 1);
  const model = explored.findIndex((each) => each.sentence === sentence);
  if (pointing && place.isChosen && model >= 0 && isOfTranslation()) {
    explorer.point(model, groupsOf(sentence).findIndex((group) => group.includes(place.step)));
  }
  cards.forEach((card, i) => mark(card.box, i === place.card ? place : null));
  byId("readout").textContent = sentence.pieces[place.step] === END ? "" : sure(sentence, place.step);
  light(byId("read"), cross(sentence)?.[place.step] ?? []);
  showNext(sentence);
  trace();
}

// The likeliest pieces at a step. A click lets the translation begin with what is before, and the piece.
function showNext({ pieces, next }) {
  byId("what_if").hidden = !next;
  if (!next) return;
  const before = pieces.slice(0, place.step);
  byId("so_far").textContent = place.step ? say("so_far", { text: joined(before) }) : say("at_the_start");
  byId("next").replaceChildren(...next[place.step].map(([piece, probability]) => {
    const button = element("button", { type: "button", textContent: shown(piece), disabled: piece === END });
    button.classList.toggle("chosen", piece === pieces[place.step]);
    button.addEventListener("click", () => begin(joined([...before, piece])));
    const bar = element("i");
    bar.style.width = `${100 * probability}%`;
    return element("li", {}, button, element("span", { className: "bar" }, bar), element("span", { textContent: percent(probability) }));
  }));
}

async function trace() {
  tracing.abort();
  const { signal } = tracing = new AbortController();
  const card = cards[place.card], sentence = sentenceOf(card);
  const { kind, layer, head } = explorer.choice;
  byId("trace").hidden = !backend.trace || !sentence?.attention || !isOfTranslation();
  if (byId("trace").hidden || !byId("trace").open) return;
  const asked = {
    model: card.model.id, text: sentence.source, tokens: sentence.tokens, position: place.step + 1, attention: kind,
    layer: layer ?? sentence.attention[kind].length, head: head ?? 1, options: { off: card.off },
  };
  const { steps, names } = await backend.trace(asked, signal).catch(() => ({})); // another one was asked for
  if (steps && !signal.aborted) stepList.show(steps, { token: sentence.pieces[place.step], classes: card.model.classes[kind], names });
}

// Switches a head of a model off, or on again.
function switchHead(kind, layer, head, model) {
  const { card } = explored[model], name = [kind, layer, head];
  const rest = card.off.filter((each) => String(each) !== String(name));
  card.off = rest.length < card.off.length ? rest : [...rest, name];
  translate();
}

// --- languages and models

function nameOf(code) {
  try {
    return new Intl.DisplayNames([language], { type: "language", fallback: "none" }).of(code) ??
      languages.find((each) => each.code === code)?.name ?? code;
  } catch { // the code of no language, such as that of a generated task
    return code;
  }
}

const targetsOf = (code) => languages.find((each) => each.code === code).targets.filter((each) => each !== code);

function fill(select, codes, chosen) {
  select.replaceChildren(...codes.map((code) => new Option(code === "auto" ? say("detect") : nameOf(code), code)));
  if (codes.includes(chosen)) select.value = chosen;
  select.disabled = codes.length < 2;
}

function fillTargets(chosen) {
  const all = source.value === "auto" ? languages.flatMap((each) => targetsOf(each.code)) : targetsOf(source.value);
  fill(target, [...new Set(all)], chosen);
  byId("swap").hidden = source.value === "auto" || !languages.some(
    (each) => each.code === target.value && each.targets.includes(source.value));
  const some = models.filter((each) => each.languages[0] === source.value && each.languages[1] === target.value);
  byId("models").hidden = some.length < 2;
  byId("models").replaceChildren(...some.map((model, i) => {
    const box = element("input", { type: "checkbox", checked: i < MOST_SHOWN, onchange: showCards });
    box.dataset.model = model.id;
    return element("label", { title: model.details }, box, model.name);
  }));
  showCards();
}

// Keeps the cards of models that were shown before, with what was switched off in them.
function showCards() {
  text.placeholder = say("placeholder");
  document.title = say("title");
  const chosen = [...byId("models").querySelectorAll("input:checked")].map((each) => models[each.dataset.model]);
  cards.splice(0, cards.length, ...(models.length ? chosen : [null]).map(
    (model) => cards.find((card) => card.model === model) ?? new Card(model)));
  byId("answers").replaceChildren(...cards.map((card) => card.made));
  document.querySelector("main").classList.toggle("several", cards.length > 1);
  place = { card: 0, sentence: 0, step: 0, isChosen: false };
  byId("about").textContent = cards.filter(({ model }) => model).map(({ model }) => say("about", {
    name: model.name, details: model.details, millions: (model.parameters / 1e6).toFixed(1) })).join(" ") +
    (models.length ? ` ${say("local")}` : "");
  translate();
}

function swap() {
  const [from, to] = [source.value, target.value];
  text.value = cards[0].answer.translatedText || text.value;
  source.value = to;
  fillTargets(from);
  typed();
}

// --- the address, and the start

function remember() {
  const fields = new URLSearchParams({ text: text.value, source: source.value, target: target.value });
  if (prefix.value) fields.set("prefix", prefix.value);
  history.replaceState(null, "", `#${fields}`);
}

async function share() {
  remember();
  await navigator.clipboard?.writeText(location.href);
  byId("share").textContent = say(navigator.clipboard ? "copied" : "in_the_address");
  setTimeout(() => { byId("share").textContent = say("share"); }, 1500);
}

async function start() {
  let settings;
  try {
    settings = await backend.start();
  } catch (error) {
    return tell(error instanceof TypeError ? say("failed") : error.message, true);
  }
  ({ languages, models } = settings);
  text.maxLength = settings.limit;
  byId("key").hidden = !settings.needsKey;
  const fields = new URLSearchParams(location.hash.slice(1));
  const sources = languages.filter((each) => targetsOf(each.code).length).map((each) => each.code);
  fill(source, sources.length > 1 && !models.length ? ["auto", ...sources] : sources, fields.get("source") ?? sources[0]);
  text.value = fields.get("text") ?? settings.example ?? "";
  prefix.value = fields.get("prefix") ?? "";
  fillTargets(fields.get("target"));
  source.addEventListener("change", () => fillTargets(target.value));
  target.addEventListener("change", () => fillTargets(target.value));
  text.addEventListener("input", typed);
  for (const each of [prefix, byId("key")]) each.addEventListener("input", typed);
  byId("read").addEventListener("pointerover", lookBack);
  byId("read").addEventListener("pointerleave", lookBack);
  byId("swap").addEventListener("click", swap);
  byId("share").addEventListener("click", share);
  byId("trace").addEventListener("toggle", trace);
  document.addEventListener("language", () => { cards.length = 0; fillTargets(target.value); });
  typed();
}

start();
