// The numbers of a translation model. A vector is a Float32Array, a matrix is a list of its rows, and a weight is one
// array with its numbers of rows and columns. Sums are computed in double precision.

const range = (count) => Array.from({ length: count }, (_, index) => index);
const vector = (size) => new Float32Array(size);
const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const total = (x) => x.reduce((one, other) => one + other, 0);
const most = (x) => x.reduce((one, other) => Math.max(one, other), -Infinity);
const plus = (x, y) => x.map((value, k) => value + y[k]);
const times = (x, y) => (typeof y === "number" ? x.map((value) => value * y) : x.map((value, k) => value * y[k]));
const rowOf = ({ weight, columns }, row) => weight.subarray(row * columns, (row + 1) * columns);
const joined = (parts) => Float32Array.from(parts.flatMap((part) => Array.from(part)));
const split = (x, count) => range(count).map((n) => x.subarray(n * x.length / count, (n + 1) * x.length / count));
const swapped = (x) => x[0].map((_, k) => x.map((row) => row[k])); // the first two axes

// What a trace calls with a part of the model, the values that it has just computed, by their names, and the head. It
// is null while nobody listens, and then `note?.(...)` does not even compute its arguments.
let note = null;

class Part { // a module, with its settings; those and the parts have the names that they have in Python
  constructor(model, name, settings) {
    Object.assign(this, settings, { model, name });
  }

  part = (end) => this.model.parts[`${this.name}.${end}`];
}

function dot(x, y) {
  let found = 0;
  for (let k = 0; k < x.length; k++) found += x[k] * y[k];
  return found;
}

// Returns each input times the transposed weight, plus the bias. Four rows at a time read each input once, which is
// twice as fast. The last four overlap with those before them.
function linear({ weight, bias, rows, columns }, inputs) {
  const outputs = inputs.map(() => vector(rows));
  for (let block = 0; block < rows; block += 4) {
    const row = Math.max(0, Math.min(block, rows - 4));
    const at = row * columns, at1 = at + columns, at2 = at1 + columns, at3 = at2 + columns;
    for (let n = 0; n < inputs.length; n++) {
      const x = inputs[n], output = outputs[n];
      let y = 0, y1 = 0, y2 = 0, y3 = 0;
      for (let k = 0; k < columns; k++) {
        const value = x[k];
        y += weight[at + k] * value;
        y1 += weight[at1 + k] * value;
        y2 += weight[at2 + k] * value;
        y3 += weight[at3 + k] * value;
      }
      output[row] = y;
      output[row + 1] = y1;
      output[row + 2] = y2;
      output[row + 3] = y3;
    }
  }
  return bias ? outputs.map((y) => plus(y, bias)) : outputs;
}

// LayerNorm, or RMSNorm if there is no bias. Without a norm, the vector itself.
function norm(part, x) {
  if (!part) return x;
  const { weight, bias } = part, mean = bias ? total(x) / x.length : 0, centred = x.map((value) => value - mean);
  const scale = 1 / Math.sqrt(dot(centred, centred) / x.length + (bias ? 1e-5 : 2 ** -23));
  return centred.map((value, k) => value * scale * weight[k] + (bias ? bias[k] : 0));
}

function softmax(scores) {
  const highest = most(scores), powers = scores.map((score) => Math.exp(score - highest));
  return times(powers, 1 / total(powers));
}

// Returns max(0, z - t) ** power for z = scores / power. The threshold t makes the sum 1, and is found by halving.
const thresholded = (power) => (scores) => {
  const weights = (threshold) => scores.map((score) => Math.max(0, score / power - threshold) ** power);
  let low = most(scores) / power - 1;
  for (let step = 0.5; step > 1e-17; step /= 2) if (total(weights(low + step)) > 1) low += step;
  return weights(low);
};

// arXiv:1602.02068, eq. 2, and 1.5-entmax of arXiv:1905.05702, section 3
const NORMALIZERS = { softmax, sparsemax: thresholded(1), entmax: thresholded(2) };

// Returns the error function, by a series whose terms have one sign.
function erf(x) {
  if (Math.abs(x) > 5) return Math.sign(x);
  let term = x, found = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(found); n++) found += term *= 2 * x * x / (2 * n + 1);
  return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * found;
}

const gelu = (x) => x / 2 * (1 + erf(x / Math.SQRT2)), silu = (x) => x * sigmoid(x);
const ACTIVATIONS = { relu: (x) => Math.max(0, x), gelu, swiglu: silu, geglu: gelu };

function activated(kind, x) {
  if (!kind.endsWith("glu")) return x.map(ACTIVATIONS[kind]);
  const [gates, values] = split(x, 2);
  return times(gates.map(ACTIVATIONS[kind]), values);
}
