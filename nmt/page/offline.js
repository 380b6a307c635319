// The page asks the models that it holds. Each has a worker, so that the page stays responsive while it computes.
class Holder {
  constructor(text, engine) {
    this.worker = new Worker(engine);
    this.waits = new Map();
    this.count = 0;
    this.free = Promise.resolve();
    this.worker.onmessage = ({ data }) => this.waits.get(data.id)(data);
    this.loaded = this.post({ kind: "load", text });
  }

  post(message) {
    const id = ++this.count;
    this.worker.postMessage({ ...message, id });
    return new Promise((resolve) => this.waits.set(id, resolve));
  }

  // One request after the other. What was typed meanwhile ends a request that still waits.
  async ask(message, signal) {
    const before = this.free;
    let done;
    this.free = new Promise((resolve) => { done = resolve; });
    await before;
    try {
      signal?.throwIfAborted();
      const answer = await this.post(message);
      if (answer.kind === "failed") throw new Error(answer.reason ? say(answer.reason, answer) : answer.message);
      return answer;
    } finally { done(); }
  }
}

const backend = {
  pause: 250,
  quick: true, // translates at every letter, without alternatives

  async start() {
    const engine = URL.createObjectURL(new Blob([byId("engine").textContent], { type: "text/javascript" }));
    this.holders = [...document.querySelectorAll(".model")].map((each) => {
      each.remove(); // the worker has its own copy
      return new Holder(each.textContent.trim(), engine);
    });
    const models = (await Promise.all(this.holders.map((each) => each.loaded))).map((each, id) => ({ ...each, id }));
    const sources = [...new Set(models.map(({ languages }) => languages[0]))];
    const targets = (code) => [...new Set(models.filter(({ languages }) => languages[0] === code).map((each) => each.languages[1]))];
    return { limit: 1000, example: models[0].example, models, languages: sources.map((code) => ({ code, targets: targets(code) })) };
  },

  // Each line is a sentence, as for scripts/translate.py.
  async translate({ text, model, alternatives, off, prefix }, signal) {
    const lines = text.split("\n"), sentences = [], beam = alternatives ? {} : { beam_size: 1 }, start = performance.now();
    let best = [], others = [];
    for (const line of lines) {
      const options = { ...beam, n_best: 1 + alternatives, off, prefix };
      const found = line.trim() && await this.holders[model].ask({ kind: "translate", text: line, options }, signal);
      const [first, ...rest] = found ? found.translations : [];
      best.push(first ? first.text : "");
      if (first) {
        others = rest;
        sentences.push(this.sentence(line, found, first));
      }
    }
    if (sentences.length > 1) others = [];
    return {
      translatedText: best.join("\n"), alternatives: others.map((each) => each.text), nmt: sentences,
      shares: others.map((each) => Math.exp(each.log_prob)), ms: performance.now() - start,
    };
  },

  sentence(line, { source_pieces, encoder_self }, { text, cross, decoder_self, ...rest }) {
    const whole = decoder_self?.map((heads) => heads.map((rows) => rows.map((row) => [...row, ...Array(rows.length - row.length).fill(0)])));
    const attention = cross || encoder_self || whole ? { cross, encoder_self, decoder_self: whole ?? null } : null;
    return { ...rest, source: line, translation: text, source_pieces, attention, doubts: [] };
  },

  trace({ model, ...asked }, signal) {
    return this.holders[model].ask({ ...asked, kind: "trace" }, signal);
  },
};
