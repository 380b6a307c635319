// The model of a file, the search for a translation, and the trace of one of its tokens.

const CLASSES = { TransformerEncoder, TransformerDecoder, RecurrentEncoder, RecurrentDecoder };
// The steps of a trace that are one vector. Others are a number, or have a number or a vector for each token.
const VECTORS = /^(query|(projected|normalized|rotated) query|(gated )?context|gate|joined|state|readout)$/;

// Returns numbers of the type float16. As float32, the same bits have an exponent that is smaller by 112.
function unpacked(bytes, { at, shape }) {
  const start = bytes.byteOffset + at, count = shape.reduce((size, each) => size * each, 1);
  const halves = new Uint16Array(bytes.buffer.slice(start, start + 2 * count)), words = new Uint32Array(count);
  for (let n = 0; n < count; n++) words[n] = (halves[n] & 0x8000) << 16 | (halves[n] & 0x7fff) << 13;
  return times(new Float32Array(words.buffer), 2 ** 112);
}

// Returns the `count` largest sums of a total and a number of its row, largest first; of equal sums the first.
function topSums(totals, rows, count, allowed = () => true) {
  const best = [];
  totals.forEach((own, row) => rows[row].forEach((value, token) => {
    const sum = Math.fround(own + value);
    if (best.length === count && sum <= best.at(-1).sum || !allowed(token)) return;
    const place = best.findIndex((each) => each.sum < sum);
    best.splice(place < 0 ? best.length : place, 0, { sum, row, token });
    best.splice(count);
  }));
  return best;
}

function refuseAbove(limit, tokens, reason = "long") {
  const message = `got ${tokens} tokens, expected at most ${limit}`;
  if (tokens > limit) throw Object.assign(new Error(message), { reason, tokens, limit });
}

class Model {
  // `bytes`: the length of the header, the header in JSON, and the numbers. Two names of one table share its numbers.
  constructor(bytes) {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true), known = {};
    this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    [this.parts, this.off] = [{}, new Set()];
    for (const [name, end, tensor] of this.header.tensors) {
      const part = this.parts[name] ??= {};
      part[end] = known[tensor.at] ??= unpacked(bytes.subarray(4 + length), tensor);
      if (end === "weight") [part.rows, part.columns] = tensor.shape;
    }
    [this.source, this.target = this.source] = this.header.tokenizers.map((each) => new Tokenizer(each));
    for (const side of ["encoder", "decoder"]) {
      this[side] = new CLASSES[this.header[side].class](this, side, this.header[side]);
    }
  }

  // Reads a token for each state, and adds the log-probabilities of the next tokens.
  step(tokens, states, ahead) {
    const made = this.decoder.step(tokens, states, ahead), logits = linear(this.parts["decoder.output"], made.hidden);
    note?.(this.decoder, { readout: made.hidden[0], logits: logits[0] });
    const logProbs = logits.map((row) => {
      const highest = most(row), sum = row.reduce((found, logit) => found + Math.exp(logit - highest), 0);
      return row.map((logit) => logit - highest - Math.log(sum));
    });
    return { ...made, logProbs };
  }

  // Beam search with the scores, the ends and the order of equal sums of nmt/search/beam.py. A beam of one is greedy.
  find(encoded, forced, limit, { beam_size, n_best: wanted, length_penalty: penalty, normalization }) {
    const divisor = (size) => (normalization === "gnmt" ? (5 + size) / 6 : size) ** penalty;
    const width = Math.max(beam_size, wanted); // a page may ask for more translations than the beam of the run has
    let found = [], live = [{ tokens: [], steps: [], sum: 0, state: this.decoder.start(encoded) }];
    for (let size = 1; live.length; size++) {
      const made = this.step(live.map(({ tokens }) => tokens.at(-1) ?? BOS), live.map(({ state }) => state));
      const next = forced[size - 1], allowed = (token) => (next ? token === next : token !== PAD && token !== BOS);
      const sums = topSums(live.map(({ sum }) => sum), made.logProbs, 2 * width, allowed);
      const candidates = sums.map(({ sum, row, token }) => ({
        sum, score: Math.fround(sum / divisor(size)), ended: token === EOS, state: made.states[row],
        tokens: [...live[row].tokens, token], steps: [...live[row].steps, [made, row]],
      }));
      found.push(...candidates.filter(({ ended }, rank) => rank < width && (ended || size === limit)));
      found.sort((one, other) => other.score - one.score);
      live = candidates.filter(({ ended }) => !ended).slice(0, width);
      const worst = found[wanted - 1]?.score ?? -Infinity, top = live[0]?.sum ?? -Infinity;
      const enough = found.length >= width && worst >= top / divisor(size);
      if (enough || size === limit || worst >= top / divisor(limit)) break;
    }
    return found.slice(0, wanted).map(({ tokens, score, steps }) => {
      const of = (kind) => steps.map(([made, row]) => made[kind]?.[row]), rows = of("logProbs");
      const weights = (kind) => (of(kind)[0] ? swapped(of(kind)).map(swapped) : null);
      const log_probs = tokens.map((token, n) => rows[n][token]);
      const kinds = { cross: weights("cross"), decoder_self: weights("decoder_self") };
      return { tokens, score, rows, log_probs, log_prob: total(log_probs), ...kinds };
    });
  }

  // Returns the ids of a source. Heads in `off` are switched off: kind, layer and head, from 1.
  // Before them is the tag of the target language, if the model needs one.
  read(text, off = [], tag = []) {
    const own = this.source.encode(withoutHints(text)), ids = own.length > 1 ? [...tag, ...own] : own;
    refuseAbove(this.header.source_limit, ids.length);
    this.off = new Set(off.map((each) => each.join(".")));
    return ids;
  }

  translate(text, { off, tag, prefix = "", ...options } = {}) {
    const ids = this.read(text, off, tag), settings = { ...this.header.search, ...options };
    const longest = Math.floor(settings.max_length_factor * ids.length) + settings.max_length_extra;
    const limit = Math.min(Math.max(1, longest), this.header.target_limit ?? Infinity);
    const forced = this.target.encode(prefix).slice(0, -1), encoded = ids.length > 1 ? this.encoder.run(ids) : null;
    refuseAbove(limit - 1, forced.length, "long_prefix");
    const found = encoded ? this.find(encoded, forced, limit, settings) : [];
    const piece = (token) => this.target.labels([token])[0];
    return {
      source_ids: ids, source_pieces: this.source.labels(ids), encoder_self: encoded?.encoder_self ?? null,
      translations: found.map(({ rows, ...each }) => ({
        ...each, text: this.target.decode(each.tokens), pieces: this.target.labels(each.tokens),
        next: rows.map((row) => topSums([0], [row], 5).map(({ sum, token }) => [piece(token), Math.exp(sum)])),
      })),
    };
  }

  // Returns the steps by which a layer and a head computed the token at a position, with the names and the numbers of
  // nmt/lab/trace. All three count from 1. Of vectors, there are only the first components.
  trace(text, tokens, { position, attention, layer, head, off, tag }) {
    const ids = this.read(text, off, tag), encoded = this.encoder.run(ids), inputs = [BOS, ...tokens.slice(0, -1)];
    const states = [this.decoder.start(encoded)], found = { query: undefined };
    for (const token of inputs) states.push(this.step([token], [states.at(-1)]).states[0]);
    note = (part, values, own = head - 1) => {
      const asked = own === head - 1 && [undefined, `${attention}.${layer}`].includes(part.place);
      if (asked) Object.assign(found, values);
    };
    try {
      this.decoder.start(encoded);
      this.step([inputs[position - 1]], [states[position - 1]], states.at(-1));
    } finally { note = null; }
    const pieces = this.target.labels(tokens), { logits, ...values } = found, names = [], steps = [];
    const read = attention === "cross" ? this.source.labels(ids) : ["<s>", ...pieces.slice(0, -1)];
    const number = (value) => (value === -Infinity ? null : value);
    const plain = (x) => Array.from(x, (each) => (each.length ? plain(each.slice(0, 8)) : number(each)));
    let before = "";
    for (const [name, value] of Object.entries(values).filter((each) => each[1] !== undefined)) {
      const shape = value.length ? [value.length, ...(value[0].length ? [value[0].length] : [])] : [];
      const whole = `${shape}:${value}`, ofToken = shape.length && !VECTORS.test(name);
      names.push(name);
      if (whole === before && !/masked|weighted/.test(name)) continue;
      before = whole;
      const told = shape.length ? plain(value).slice(0, ofToken ? undefined : 8) : value;
      steps.push({ name, shape, columns: [], labels: ofToken ? read : [], values: told });
    }
    const token = tokens[position - 1], best = topSums([0], [logits], 5).map((each) => each.token);
    const rows = best.includes(token) ? best : [...best, token], probabilities = softmax(logits);
    steps.push({
      name: "next token", shape: [logits.length], columns: ["logit", "probability"],
      labels: rows.map((id) => (id === token ? pieces[position - 1] : this.target.labels([id])[0])),
      values: rows.map((id) => [logits[id], probabilities[id]]),
      rank: 1 + logits.filter((logit) => logit > logits[token]).length,
    });
    return { names, steps };
  }
}
