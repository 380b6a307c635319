const { sentences, texts, choice } = JSON.parse(byId("data").textContent);
const maps = new Maps(byId("explorer"), texts), chooser = byId("sentence");

function show(number) {
  const models = sentences.at(number % sentences.length);
  chooser.selectedIndex = sentences.indexOf(models);
  byId("source").textContent = models[0].source;
  byId("target").textContent = models[0].target;
  maps.show(models);
}

for (const [name, value] of Object.entries(choice)) byId(name).append(new Option("", value ?? "", true, true));
chooser.append(...sentences.map(([{ source }], i) => new Option(`${i + 1} / ${sentences.length}: ${source}`)));
chooser.onchange = () => show(chooser.selectedIndex);
for (const each of document.querySelectorAll("#chooser button")) {
  each.onclick = () => show(chooser.selectedIndex + Number(each.value));
}
show(0);
