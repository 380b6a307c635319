// The page asks the server that it comes from.
const backend = {
  async ask(path, fields, signal) {
    const answer = await fetch(path, fields && {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(fields), signal,
    }).catch(() => { throw new Error(say("failed")); });
    const content = await answer.json().catch(() => { throw new Error(say("failed")); });
    if (!answer.ok) throw new Error(content.error);
    return content;
  },

  async start() {
    const [settings, languages] = await Promise.all([this.ask("frontend/settings"), this.ask("languages")]);
    return { needsKey: settings.keyRequired, languages, models: [] };
  },

  async translate({ text, source, target, alternatives }, signal) {
    if (!text.trim()) return { translatedText: "", nmt: [] };
    const fields = { q: text, source, target, alternatives, nmt: true, api_key: byId("key").value };
    return this.ask("translate", fields, signal);
  },
};
