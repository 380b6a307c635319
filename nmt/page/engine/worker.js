// The worker of a page: it gets the text of a model, and then sentences and positions. Answers repeat the `id`.

if (typeof WorkerGlobalScope !== "undefined") {
  let model;

  const answers = {
    async load({ text }) {
      const letters = atob(text), bytes = new Uint8Array(letters.length);
      for (let n = 0; n < letters.length; n++) bytes[n] = letters.charCodeAt(n);
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
      model = new Model(new Uint8Array(await new Response(stream).arrayBuffer()));
      const { tensors, tokenizers, ...header } = model.header;
      return { ...header, kind: "loaded" };
    },
    translate: ({ text, options }) => ({ kind: "translated", ...model.translate(text, options) }),
    trace: ({ text, tokens, options, ...place }) =>
      ({ kind: "traced", ...model.trace(text, tokens, { ...options, ...place }) }),
  };

  onmessage = async ({ data }) => {
    const start = performance.now();
    try {
      postMessage({ id: data.id, ...await answers[data.kind](data), ms: performance.now() - start });
    } catch ({ message, reason = null, tokens, limit }) {
      postMessage({ kind: "failed", id: data.id, reason, tokens, limit, message });
    }
  };
}
