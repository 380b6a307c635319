// Sentences as words and pieces that one can point at.

const BEGIN = "\u2581"; // marks the first piece of a word
const END = "</s>";
const textOf = (piece) => piece.replaceAll(BEGIN, " ");
const BYTE = /^<([0-9A-F]{2})>$/;
const joined = (pieces) => textsOf(pieces.filter((piece) => piece !== END)).join("").trimStart();

// Returns what each piece adds to the text. Of bytes one after another, the first one has the text of all.
function textsOf(pieces) {
  const texts = pieces.map(textOf);
  for (let start = 0, end = 0; start < texts.length; start = end + 1) {
    for (end = start; BYTE.test(pieces[end]); end++) texts[end] = "";
    const bytes = pieces.slice(start, end).map((piece) => parseInt(BYTE.exec(piece)[1], 16));
    if (bytes.length) texts[start] = new TextDecoder().decode(new Uint8Array(bytes));
  }
  return texts;
}

// Returns the nodes of a sentence: a span for each piece, with the numbers of its sentence and of its place there.
// With the log-probabilities of a translation, a line marks doubtful pieces.
function nodesOf(pieces, sentence, log_probs) {
  const texts = textsOf(pieces);
  return pieces.flatMap((piece, place) => {
    if (piece === END) return [];
    const content = texts[place], doubtful = log_probs ? 1 - Math.exp(log_probs[place]) : 0;
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
  for (const { dataset, style } of box.querySelectorAll(".piece")) {
    const weight = Number(dataset.sentence) === sentence ? weights[dataset.piece] ?? 0 : 0;
    style.setProperty("--weight", weight.toFixed(2));
  }
}
