const { kind, position, pieces, token, layers, classes, names, choice } = JSON.parse(byId("data").textContent);
const steps = new Steps(byId("explorer"), document);

function show() {
  const [layer, head] = [byId("layer").value, byId("head").value];
  steps.show(layers[layer - 1][head - 1], { token, classes: classes[layer - 1], names: names[layer - 1] });
}

function label() {
  byId("title").textContent = say("trace_title", { title: words.kinds[kind][0] });
  byId("position").textContent = say("trace_position", { position });
  byId("legend").textContent = legend([...pieces, ...layers.flat(2).flatMap((step) => step.labels)]);
}

byId("tokens").append(...["<s>", ...pieces].map((textContent, i) => element("li", {
  textContent, dir: isMark(textContent) ? "ltr" : "auto",
  className: i === position ? "now" : i > position ? "later" : "",
})));
for (const [name, count] of [["layer", layers.length], ["head", layers[0].length]]) {
  byId(name).append(...Array.from({ length: count }, (_, i) => new Option(i + 1)));
  byId(name).value = choice[name];
  byId(name).disabled = count < 2;
  byId(name).addEventListener("change", show);
}
document.addEventListener("language", label);
label();
show();
