// Recurrent encoders and decoders, and their attention.

// Returns the next state of each hypothesis: [hidden] of a GRU, or [hidden, cell] of an LSTM, which has four gates.
function cellStep(part, name, inputs, states) {
  const gates = linear(part(`${name}.ih`), inputs);
  const recurrent = linear(part(`${name}.hh`), states.map(([hidden]) => hidden));
  return states.map(([hidden, cell], n) => {
    const count = gates[n].length / hidden.length, given = split(gates[n], count), own = split(recurrent[n], count);
    const [first, second, third, fourth] = given.map((gate, number) => plus(gate, own[number]));
    if (fourth) {
      const next = cell.map((value, k) => sigmoid(second[k]) * value + sigmoid(first[k]) * Math.tanh(third[k]));
      return [next.map((value, k) => sigmoid(fourth[k]) * Math.tanh(value)), next];
    }
    return [hidden.map((value, k) => {
      const update = sigmoid(second[k]), candidate = Math.tanh(given[2][k] + sigmoid(first[k]) * own[2][k]);
      return (1 - update) * candidate + update * value;
    })];
  });
}

class RecurrentEncoder extends Part {
  run(ids) {
    let rows = ids.map((token) => rowOf(this.part("embedding"), token));
    const read = (name, inputs) => {
      let state = range(2).map(() => vector(this.part(`${name}.hh`).columns));
      return inputs.map((input) => ([state] = cellStep(this.part, name, [input], [state]))[0][0]);
    };
    const finals = this.forwards.map((_, index) => {
      const sides = [read(`forwards.${index}`, rows)];
      if (this.backwards.length) sides.push(read(`backwards.${index}`, [...rows].reverse()).reverse());
      rows = rows.map((_, s) => joined(sides.map((side) => side[s])));
      return joined(sides.map((side, backwards) => side.at(backwards ? 0 : -1)));
    });
    return { memory: rows.map((row) => norm(this.part("memory_norm"), row)), finals };
  }
}

const lengthOf = (x) => Math.max(1e-12, Math.hypot(...x));

// For each class of attention, the scores of a query, unless they are its products with the keys.
const SCORES = {
  AdditiveAttention(attention, query, { keys, fertility }, coverage) {
    const extra = attention.part("coverage_projection")?.weight, energy = attention.part("energy").weight;
    const [projected] = linear(attention.part("query_projection"), [query]);
    const tanh = keys.map((key, s) =>
      key.map((value, k) => Math.tanh(value + projected[k] + (extra ? extra[k] * coverage[s] : 0))));
    note?.(attention, { fertility, coverage: extra && coverage, "projected query": projected, tanh });
    return tanh.map((row) => dot(row, energy));
  },
  CosineAttention(attention, query, { keys }) {
    note?.(attention, { "query norm": lengthOf(query) });
    return keys.map((key) => dot(query, key) / lengthOf(query));
  },
  DistanceAttention(attention, query, { keys }) {
    const apart = keys.map((key) => query.map((value, k) => Math.abs(value - key[k])));
    const distances = Float32Array.from(apart, attention.norm === 1 ? total : (each) => Math.hypot(...each));
    note?.(attention, { distances, factor: attention.factor });
    return times(distances, -attention.factor);
  },
  LocationAttention(attention, query, { keys }) {
    const [scores] = linear(attention.part("position_scores"), [query]);
    return keys.map((_, s) => scores[s] ?? -1e4);
  },
};
SCORES.CoverageAttention = SCORES.AdditiveAttention;

class RecurrentAttention extends Part {
  constructor(model, name, settings) {
    super(model, name, { ...settings, place: "cross.1" });
    const { attention, normalizer, place } = this, own = { ...attention, normalizer, place, positions: {} };
    if (attention) this.heads = new MultiHeadAttention(model, `${name}.attention`, own);
  }

  // Returns what all steps read, and the state before the first step: the time, and the coverage so far.
  start(values) {
    const state = { time: 0, coverage: vector(values.length) }, projection = this.part("key_projection");
    if (this.heads) return { memory: { values, entries: this.heads.entries(values) }, state };
    const cosine = this.class === "CosineAttention", scaled = this.factor !== undefined && !this.norm;
    if (cosine) note?.(this, { "memory norms": Float32Array.from(values, lengthOf) });
    if (scaled) note?.(this, { factor: this.factor });
    const factorOf = (row) => (scaled ? this.factor : 1) / (cosine ? lengthOf(row) : 1);
    const keys = (projection ? linear(projection, values) : values).map((row) => times(row, factorOf(row)));
    const shares = this.max_fertility && joined(linear(this.part("fertility"), values)).map(sigmoid);
    return { memory: { values, keys, fertility: shares && times(shares, this.max_fertility) }, state };
  }

  // Returns the context of a query, the weights of each head, and the next state.
  attend(query, { values, entries, keys, fertility }, { time, coverage }) {
    note?.(this, { query });
    const window = this.local && this.window(query, values.length, time);
    note?.(this, { keys: this.class === "LocationAttention" ? undefined : keys });
    if (this.heads) {
      const [context] = this.heads.read([query], () => entries, undefined, window);
      return { context, weights: this.heads.weights[0], state: { time: time + 1, coverage } };
    }
    const score = SCORES[this.class] ?? (() => keys.map((key) => dot(query, key)));
    const scores = Float32Array.from(score(this, query, { keys, fertility }, coverage));
    note?.(this, { scores });
    const weights = weigh(this, scores, window), context = mixed(this, weights, values);
    const covered = fertility ? coverage.map((value, s) => value + weights[s] / fertility[s]) : coverage;
    return { context, weights: [weights], state: { time: time + 1, coverage: covered } };
  }

  // Returns what local attention hides, and its bell curve if it predicts its centre (arXiv:1508.04025, section 3.2).
  window(query, count, time) {
    const { window, hidden, output } = this.local;
    const predicted = hidden && count * sigmoid(dot(output.weight, linear(hidden, [query])[0].map(Math.tanh)));
    const centre = predicted ?? Math.min(time, count - 1), offsets = vector(count).map((_, s) => s - centre);
    note?.(this, { centre, offsets });
    const bell = hidden && offsets.map((offset) => Math.exp(-(offset ** 2) / (2 * (window / 2) ** 2)));
    return { hidden: (s) => Math.abs(offsets[s]) > window, bell };
  }
}

// A wrapper (Luong's, or local attention) uses the scores of another attention.
function recurrentAttention(model, name, settings) {
  if (!settings.scores) return new RecurrentAttention(model, name, settings);
  const own = recurrentAttention(model, `${name}.scores`, settings.scores);
  const [hidden, output] = ["hidden", "output"].map((end) => model.parts[`${name}.centre_${end}`]);
  if (settings.window) own.local = { window: settings.window, hidden, output };
  return own;
}

class RecurrentDecoder extends Part {
  constructor(model, name, settings) {
    super(model, name, settings);
    this.attention &&= recurrentAttention(model, `${name}.attention`, this.attention);
  }

  // Layers are aligned at the top. Without final states, the mean of the memory takes their place.
  start({ memory, finals = [times(memory.reduce(plus), 1 / memory.length)] }) {
    const { layers, tensors } = this.bridge;
    const cells = range(layers).map((layer) => range(tensors).map((tensor) => linear(
      this.part(`bridge.projections.${layer * tensors + tensor}`),
      [finals[Math.max(0, finals.length - layers + layer)]])[0].map(Math.tanh)));
    return { cells, feed: vector(this.readout_width), attention: this.attention?.start(memory) };
  }

  step(tokens, states) {
    const kind = this.query_state, vectors = tokens.map((token) => rowOf(this.part("embedding"), token));
    const beside = (rows, others) => rows.map((row, n) => joined([row, others[n]])), hiddenOf = ([hidden]) => hidden;
    const layers = swapped(states.map(({ cells }) => cells));
    let reads = null, inputs = vectors;
    const attend = (queries) => {
      reads = states.map(({ attention }, n) => this.attention.attend(queries[n], attention.memory, attention.state));
      return reads.map(({ context }) => context);
    };
    if (kind === "previous") inputs = beside(vectors, attend(layers.at(-1).map(hiddenOf)));
    if (kind === "between") {
      layers[0] = cellStep(this.part, "first_cell", vectors, layers[0]);
      inputs = attend(layers[0].map(hiddenOf));
    }
    if (this.input_feeding) inputs = beside(vectors, states.map(({ feed }) => feed));
    layers.forEach((before, layer) => {
      layers[layer] = cellStep(this.part, `cells.${layer ? `upper.${layer - 1}` : "lowest"}`, inputs, before);
      inputs = layers[layer].map(hiddenOf);
    });
    if (kind === "current") attend(inputs);
    else if (kind) note?.(this, { state: inputs[0] });
    const read = reads ? beside(inputs, reads.map(({ context }) => context)) : inputs;
    const readouts = linear(this.part("readout"), kind === "current" ? read : beside(read, vectors));
    const hidden = readouts.map((row) => row.map(Math.tanh)), cells = swapped(layers);
    const after = states.map(({ attention }, n) => (
      { cells: cells[n], feed: hidden[n], attention: reads && { ...attention, state: reads[n].state } }));
    return { hidden, states: after, cross: reads?.map(({ weights }) => [weights]) };
  }
}
