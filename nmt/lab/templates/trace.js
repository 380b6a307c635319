const { kind, position, pieces, token, layers, classes, names } = JSON.parse(byId("data").textContent);
const steps = new Steps(byId("explorer"), document);

function show() {
  const [layer, head] = ["layer", "head"].map((name) => byId(name).value);
  steps.show(layers[layer - 1][head - 1], { token, classes: classes[layer - 1], names: names[layer - 1] });
}

function label() {
  byId("title").textContent = say("trace_title", { title: words.kinds[kind][0] });
  byId("position").textContent = say("trace_position", { position });
  byId("legend").textContent = legend([...pieces, ...layers.flat(2).flatMap((step) => step.labels)]);
}

byId("layer").onchange = byId("head").onchange = show;
document.addEventListener("language", label);
label();
show();
