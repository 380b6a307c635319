// Sentences as words that one can point at: the pieces of a word have their confidence, and words their attention.

import { words } from "./words.js";

const BEGIN = "\u2581"; // marks the first piece of a word
const END = "</s>";

// Returns the places of the pieces of each word.
function wordsOf(pieces) {
  const groups = [];
  pieces.forEach((piece, place) => {
    if (piece === END) return;
    if (piece.startsWith(BEGIN) || !groups.length) groups.push([]);
    groups.at(-1).push(place);
  });
  return groups;
}

const textOf = piece => piece.replaceAll(BEGIN, " ");
const joined = pieces => pieces.filter(piece => piece !== END).map(textOf).join("").trimStart();

function span(name, content) {
  const made = document.createElement("span");
  made.className = name;
  made.append(...content);
  return made;
}

function pieceSpan(text, logProb) {
  const made = span("piece", [text]);
  const percent = Math.round(100 * Math.exp(logProb));
  made.style.setProperty("--doubtful", (1 - percent / 100).toFixed(2));
  made.title = words.sure(text.trim(), percent);
  return made;
}

// Returns the nodes of a sentence; each word is a span with the number of its sentence and its place there.
function nodesOf(sentence, pieces, logProbs) {
  return wordsOf(pieces).flatMap((places, word) => {
    const texts = places.map(place => textOf(pieces[place]));
    const space = texts[0].startsWith(" ") ? " " : "";
    texts[0] = texts[0].trimStart();
    const inner = logProbs ? texts.map((text, i) => pieceSpan(text, logProbs[places[i]])) : texts;
    const made = span("word", inner);
    Object.assign(made.dataset, { sentence, word });
    return word ? [space, made] : [made];
  });
}

// Shows a translation, with its sentences as words where their pieces make up the text.
export function showTranslation(box, text, sentences) {
  box.replaceChildren();
  let at = 0;
  sentences.forEach(({ translation, pieces, log_probs }, number) => {
    const start = text.indexOf(translation, at);
    if (!translation || start < 0 || joined(pieces) !== translation) return;
    box.append(text.slice(at, start), ...nodesOf(number, pieces, log_probs));
    at = start + translation.length;
  });
  box.append(text.slice(at));
}

// Returns the weights of a sentence between words, rows for the translation: means over its pieces of sums.
function weightsOf({ attention, pieces, source_pieces }) {
  const [rows, columns] = [wordsOf(pieces), wordsOf(source_pieces)];
  const sum = values => values.reduce((total, value) => total + value, 0);
  return rows.map(row => columns.map(
    column => sum(row.map(t => sum(column.map(s => attention[t][s])))) / row.length));
}

// Shows the words of the sources, and lets words of either side show what they have to do with the other.
export function showAttention(box, translation, sentences, readout) {
  const weights = sentences.map(each => each.attention ? weightsOf(each) : []);
  box.replaceChildren(...sentences.map(({ source_pieces }, number) => {
    const made = document.createElement("p");
    made.dir = "auto";
    if (source_pieces) made.append(...nodesOf(number, source_pieces));
    return made;
  }));
  const all = side => [...side.querySelectorAll(".word")];

  function light(other, sentence, values) {
    const most = Math.max(...values, 1e-9);
    for (const each of all(other)) {
      const value = each.dataset.sentence === sentence ? values[each.dataset.word] / most : 0;
      each.style.setProperty("--weight", value.toFixed(2));
    }
  }

  function choose(side, other, event) {
    const word = event.target.closest(".word");
    for (const each of [...all(side), ...all(other)]) {
      each.classList.toggle("chosen", each === word);
      each.style.removeProperty("--weight");
    }
    readout.textContent = event.target.title ?? "";
    if (!word || !weights[word.dataset.sentence].length) return;
    const { sentence, word: place } = word.dataset;
    light(other, sentence, side === translation ? weights[sentence][place] : weights[sentence].map(row => row[place]));
  }

  for (const [side, other] of [[translation, box], [box, translation]]) {
    side.onpointerover = side.onclick = event => choose(side, other, event);
    side.onpointerleave = event => { if (event.pointerType === "mouse") choose(side, other, { target: side }); };
  }
}
