// Sentences as words and pieces that one can point at.

const BEGIN = "\u2581"; // marks the first piece of a word
const END = "</s>";
const textOf = (piece) => piece.replaceAll(BEGIN, " ");
const joined = (pieces) => pieces.filter((piece) => piece !== END).map(textOf).join("").trimStart();
const percent = (value) => (value < 0.005 ? "< 1 %" : `${Math.round(100 * value)} %`);
const sure = ({ pieces, log_probs }, step) =>
  say("sure", { piece: textOf(pieces[step]).trim(), percent: Math.round(100 * Math.exp(log_probs[step])) });

// Returns the nodes of a sentence: a span for each piece, with the numbers of its sentence and of its place there.
function nodesOf(pieces, sentence) {
  return pieces.flatMap((piece, place) => {
    if (piece === END) return [];
    const content = textOf(piece), made = element("span", { className: "piece", textContent: content.trimStart() });
    Object.assign(made.dataset, { sentence, piece: place });
    return content.startsWith(" ") && place ? [" ", made] : [made];
  });
}

// Shows a translation, with its sentences as pieces where these make up the text. A line marks doubtful pieces.
function showTranslation(box, text, sentences) {
  box.replaceChildren();
  let at = 0;
  sentences.forEach(({ translation, pieces, log_probs }, number) => {
    const start = text.indexOf(translation, at);
    if (!translation || start < 0 || joined(pieces) !== translation) return;
    const nodes = nodesOf(pieces, number);
    for (const each of nodes) {
      if (each.dataset) each.style.setProperty("--doubtful", (1 - Math.exp(log_probs[each.dataset.piece])).toFixed(2));
    }
    box.append(text.slice(at, start), ...nodes);
    at = start + translation.length;
  });
  box.append(text.slice(at));
}

function showSource(box, { source_pieces }) {
  box.replaceChildren(...nodesOf(source_pieces ?? [], 0));
}

// Colours the pieces of a sentence by their weights.
function light(box, weights, sentence = 0) {
  const most = Math.max(...weights, 1e-9);
  for (const { dataset, style } of box.querySelectorAll(".piece")) {
    const weight = Number(dataset.sentence) === sentence ? weights[dataset.piece] ?? 0 : 0;
    style.setProperty("--weight", (weight / most).toFixed(2));
  }
}

// Marks the piece of a translation that is looked at.
function mark(box, place) {
  for (const each of box.querySelectorAll("[data-piece]")) {
    each.classList.toggle("chosen", Boolean(place) && Number(each.dataset.piece) === place.step &&
      Number(each.dataset.sentence) === place.sentence);
  }
}
