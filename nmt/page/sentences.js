// Sentences as words and pieces that one can point at.

const BEGIN = "\u2581"; // marks the first piece of a word
const END = "</s>";
const textOf = (piece) => piece.replaceAll(BEGIN, " ");
const joined = (pieces) => pieces.filter((piece) => piece !== END).map(textOf).join("").trimStart();
const percent = (value) => (value < 0.005 ? "< 1 %" : `${Math.round(100 * value)} %`);

// Returns the nodes of a sentence: a span for each piece, with the numbers of its sentence and of its place there.
// With the log-probabilities of a translation, a line marks doubtful pieces.
function nodesOf(pieces, sentence, log_probs) {
  return pieces.flatMap((piece, place) => {
    if (piece === END) return [];
    const content = textOf(piece), doubtful = log_probs ? 1 - Math.exp(log_probs[place]) : 0;
    const properties = { className: "piece", textContent: content.trimStart() };
    const made = element("span", { ...properties, style: `--doubtful: ${doubtful.toFixed(2)}` });
    Object.assign(made.dataset, { sentence, piece: place });
    return content.startsWith(" ") && place ? [" ", made] : [made];
  });
}

// Shows a translation, with its sentences as pieces where these make up the text.
function showTranslation(box, text, sentences) {
  box.replaceChildren();
  let at = 0;
  sentences.forEach(({ translation, pieces, log_probs }, number) => {
    const start = text.indexOf(translation, at);
    if (!translation || start < 0 || joined(pieces) !== translation) return;
    box.append(text.slice(at, start), ...nodesOf(pieces, number, log_probs));
    at = start + translation.length;
  });
  box.append(text.slice(at));
}

// Colours the pieces of a sentence by their weights.
function light(box, weights, sentence = 0) {
  const most = Math.max(...weights, 1e-9);
  for (const { dataset, style } of box.querySelectorAll(".piece")) {
    const weight = Number(dataset.sentence) === sentence ? weights[dataset.piece] ?? 0 : 0;
    style.setProperty("--weight", (weight / most).toFixed(2));
  }
}
