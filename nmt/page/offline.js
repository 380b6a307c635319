// The page asks the models that it holds. Each has a worker, so that the page stays responsive while it computes.
class Holder {
  constructor(engine, text) {
    this.worker = new Worker(engine);
    this.loaded = this.ask({ kind: "load", text });
  }

  // One request after the other. What was typed meanwhile ends a request that still waits.
  ask(message, signal) {
    const answer = Promise.resolve(this.last).then(async () => {
      signal?.throwIfAborted();
      this.worker.postMessage(message);
      const { data } = await new Promise((resolve) => { this.worker.onmessage = resolve; });
      if (data.kind === "failed") throw new Error(data.reason ? say(data.reason, data) : data.message);
      return data;
    });
    this.last = answer.catch(() => {});
    return answer;
  }
}

const backend = {
  quick: true, // translates at every letter, without alternatives

  async start() {
    const engine = URL.createObjectURL(new Blob([byId("engine").textContent], { type: "text/javascript" }));
    this.holders = [...document.querySelectorAll(".model")].map((each) => {
      each.remove(); // the worker has its own copy
      return new Holder(engine, each.textContent.trim());
    });
    const loaded = await Promise.all(this.holders.map((each) => each.loaded));
    const models = loaded.flatMap(({ directions, ...each }, holder) => // on the page, each direction is a model
      directions.map(([from, to, tag]) => ({ ...each, holder, tag, languages: [from, to] })));
    models.forEach((each, id) => { each.id = id; });
    this.models = models;
    const languages = models.map(({ languages: [code, other] }) => ({ code, targets: [other] }));
    return { example: models[0].example, models, languages };
  },

  // Each line is a sentence, as for scripts/translate.py.
  async translate({ text, model, alternatives, off, prefix }, signal) {
    const { holder, tag } = this.models[model], start = performance.now(), beam = alternatives ? {} : { beam_size: 1 };
    const lines = await Promise.all(text.split("\n").map(async (source) => {
      const options = source.trim() ? { ...beam, n_best: 1 + alternatives, off, prefix, tag } : {};
      return { source, ...await this.holders[holder].ask({ kind: "translate", text: source, options }, signal) };
    }));
    const found = lines.filter(({ translations }) => translations.length);
    const texts = found.length === 1 ? found[0].translations.map(({ text }) => text) : [];
    const others = texts.flatMap((text, i) => (i && texts.indexOf(text) === i ? found[0].translations[i] : []));
    return {
      translatedText: lines.map(({ translations }) => translations[0]?.text ?? "").join("\n"),
      alternatives: others.map((each) => each.text), shares: others.map((each) => Math.exp(each.log_prob)),
      nmt: found.map(this.sentence), ms: performance.now() - start,
    };
  },

  sentence({ source, source_pieces, encoder_self, translations: [{ text, cross, decoder_self, ...rest }] }) {
    const attention = { cross, encoder_self, decoder_self };
    return { ...rest, source, translation: text, source_pieces, attention, doubts: [] };
  },

  trace({ model, ...asked }, signal) {
    const { holder, tag } = this.models[model];
    return this.holders[holder].ask({ ...asked, tag, kind: "trace" }, signal);
  },
};
