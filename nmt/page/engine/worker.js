// The worker of a page: it gets the text of a model, and then sentences and positions.

if (typeof WorkerGlobalScope !== "undefined") {
  let model;

  const answers = {
    async load({ text }) {
      const letters = atob(text), bytes = new Uint8Array(letters.length);
      for (let n = 0; n < letters.length; n++) bytes[n] = letters.charCodeAt(n);
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
      model = new Model(new Uint8Array(await new Response(stream).arrayBuffer()));
      const { tensors, tokenizers, ...header } = model.header;
      return header;
    },
    translate: ({ text, options }) => model.translate(text, options),
    trace: ({ text, tokens, options, ...place }) => model.trace(text, tokens, { ...options, ...place }),
  };

  onmessage = async ({ data }) => {
    try {
      postMessage(await answers[data.kind](data));
    } catch ({ message, reason = null, tokens, limit }) {
      postMessage({ kind: "failed", reason, tokens, limit, message });
    }
  };
}
