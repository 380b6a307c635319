// Attention, and the Transformer.

// Returns the weights of the scores of a part. `hidden` says which tokens it must not read; `bell` has their factors.
function weigh(part, scores, { head, hidden, bell } = {}) {
  const masked = hidden ? scores.map((score, s) => (hidden(s) ? -Infinity : score)) : scores;
  const normalized = NORMALIZERS[part.normalizer](masked), weights = bell ? times(normalized, bell) : normalized;
  note?.(part, { masked, [part.normalizer]: normalized, bell, weights }, head);
  return weights;
}

// Returns the sum of the values, times their weights. A head that is switched off reads nothing.
function mixed(part, weights, values, head = 0) {
  const off = part.model.off.has(`${part.place}.${head + 1}`), own = off ? times(weights, 0) : weights;
  const context = vector(values[0].length);
  values.forEach((value, s) => { for (let k = 0; k < value.length; k++) context[k] += own[s] * value[k]; });
  note?.(part, { values, "weighted values": values.map((value, s) => times(value, own[s])), context }, head);
  return context;
}

const angle = (place, pair, width) =>
  Math.fround(place * Math.fround(Math.exp(Math.fround(-Math.log(10000) / width * 2 * pair))));

// The hooks of positions: `embed` a vector, `rotate` the query or the key of a head, and add a `bias` to a score.
const POSITIONS = {
  NoPositions: () => ({}),
  Sinusoidal: () => ({
    embed: (x, place) => x.map((value, k) => value + (k % 2 ? Math.cos : Math.sin)(angle(place, k >> 1, x.length))),
  }),
  Learned: (table) => ({ embed: (x, place) => plus(x, rowOf(table, place)) }),
  Rotary: () => ({
    rotate: (x, place) => x.map((value, k) => {
      const turn = angle(place, k >> 1, x.length);
      return value * Math.cos(turn) + (k % 2 ? x[k - 1] : -x[k + 1]) * Math.sin(turn);
    }),
  }),
  Alibi: (_, { slopes }) => ({ bias: (query, distance, head) => -slopes[head] * Math.abs(distance) }),
  Relative: (table, { max_distance: far }) => ({
    bias: (query, distance, _, scale) =>
      scale * dot(query, rowOf(table, far + Math.max(-far, Math.min(far, distance)))),
  }),
};

class MultiHeadAttention extends Part { // `place` is the kind of attention and the layer: "cross.1"
  placed(x, normPart, place) {
    const normed = norm(this.part(normPart), x), { rotate } = this.positions;
    return rotate ? rotate(normed, place) : normed;
  }

  // Returns the keys and the values of each input, one for each head.
  entries(inputs, placeOf = () => 0) {
    return linear(this.part("key_value"), inputs).map((row, n) => {
      const [keys, values] = split(row, 2).map((half) => split(half, this.heads));
      return { keys: keys.map((key) => this.placed(key, "key_norm", placeOf(n))), values };
    });
  }

  // Returns the output of each input, which stands at its place and reads its entries. Keeps the weights of each head.
  read(inputs, entriesOf, placeOf = () => 0, options = {}) {
    const gates = this.part("gate") && linear(this.part("gate"), inputs).map((row) => row.map(sigmoid));
    this.weights = inputs.map(() => []);
    const readHead = (projected, n, head) => {
      const [keys, values] = ["keys", "values"].map((kind) => entriesOf(n).map((entry) => entry[kind][head]));
      note?.(this, { query: inputs[n], "projected query": projected }, head);
      const weights = this.weigh(projected, keys, placeOf(n), { ...options, head });
      const context = mixed(this, weights, values, head);
      this.weights[n].push(weights);
      if (!gates) return context;
      const gate = split(gates[n], this.heads)[head], gated = times(context, gate);
      note?.(this, { gate, "gated context": gated }, head);
      return gated;
    };
    const queries = linear(this.part("query"), inputs).map((row) => split(row, this.heads));
    const contexts = queries.map((row, n) => joined(row.map((projected, head) => readHead(projected, n, head))));
    const outputs = linear(this.part("output"), contexts);
    note?.(this, { joined: outputs[0] });
    return outputs;
  }

  weigh(projected, keys, place, options) {
    const { rotate, bias } = this.positions, query = this.placed(projected, "query_norm", place);
    const scores = Float32Array.from(keys, (key) => dot(query, key)), scaled = times(scores, this.scale);
    const biases = bias && scores.map((_, s) => bias(query, s - place, options.head, this.scale));
    const normed = this.part("query_norm") && norm(this.part("query_norm"), projected);
    note?.(this, {
      "normalized query": normed, "rotated query": rotate && query, keys, "position bias": biases, scores, scaled,
    }, options.head);
    return weigh(this, biases ? plus(scaled, biases) : scaled, options);
  }
}

class Stack extends Part { // what the encoder and the decoder of a Transformer share
  constructor(...given) {
    super(...given);
    const positions = POSITIONS[this.positions.class](this.part("positions.table"), this.positions);
    const attention = (settings, end, place, own) => settings && new MultiHeadAttention(
      this.model, `${this.name}.layers.${end}`, { ...settings, place, positions: own, normalizer: "softmax" });
    this.attentions = this.layers.map(({ self_attention: own, cross_attention: cross }, n) => ({
      self: attention(own, `${n}.self_attention`, `${this.name}_self.${n + 1}`, positions),
      cross: attention(cross, `${n}.cross_attention`, `cross.${n + 1}`, {}),
    }));
    this.embed = positions.embed ?? ((x) => x);
  }

  // Returns the vectors of tokens at their places. `entriesOf` gets the entries of a layer, and returns a function that
  // gives those which an input reads. `memoryOf` returns what the attention of a decoder reads.
  forward(tokens, placeOf, entriesOf, hidden, memoryOf) {
    const table = this.part("embed.table"), { activation, norm_first: first } = this.block;
    let rows = tokens.map((token, n) => this.embed(times(rowOf(table, token), Math.sqrt(table.columns)), placeOf(n)));
    this.attentions.forEach(({ self, cross }, index) => {
      const part = (end) => this.part(`layers.${index}.${end}`);
      const residual = (name, sublayer) => {
        const normed = (all) => all.map((row) => norm(part(`${name}.norm`), row));
        const outputs = sublayer(first ? normed(rows) : rows), sums = rows.map((row, n) => plus(row, outputs[n]));
        rows = first ? sums : normed(sums);
      };
      residual("self_residual", (inputs) =>
        self.read(inputs, entriesOf(self.entries(inputs, placeOf), index), placeOf, { hidden }));
      if (cross) residual("cross_residual", (inputs) => cross.read(inputs, (n) => memoryOf(n)[index]));
      residual("feed_residual", (inputs) => linear(
        part("feed_forward.3"), linear(part("feed_forward.0"), inputs).map((row) => activated(activation, row))));
    });
    return rows.map((row) => norm(this.part("norm"), row));
  }
}

class TransformerEncoder extends Stack {
  run(ids) {
    const memory = this.forward(ids, (n) => n, (entries) => () => entries);
    return { memory, encoder_self: this.attentions.map(({ self }) => swapped(self.weights)) };
  }
}

class TransformerDecoder extends Stack {
  // A state has the entries of the tokens so far for each layer, and those of the memory.
  start({ memory }) {
    return { prefix: this.layers.map(() => []), memory: this.attentions.map(({ cross }) => cross.entries(memory)) };
  }

  // Reads a token for each state. `ahead` is the state after the whole translation: a trace shows the later tokens as
  // well, which are hidden.
  step(tokens, states, ahead) {
    const place = states[0].prefix[0].length, after = states.map(({ memory }) => ({ prefix: [], memory }));
    const hidden = this.forward(tokens, () => place, (entries, index) => {
      entries.forEach((entry, n) => after[n].prefix.push([...states[n].prefix[index], entry]));
      return (n) => (ahead ?? after[n]).prefix[index];
    }, (s) => s > place, (n) => states[n].memory);
    const weights = (kind) => swapped(this.attentions.map((layer) => layer[kind].weights));
    return { hidden, states: after, cross: weights("cross"), decoder_self: weights("self") };
  }
}
