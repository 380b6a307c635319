const { sentences, texts, choice } = JSON.parse(byId("data").textContent);
const maps = new Maps(byId("explorer"), { texts, choice });

function show(number) {
  const models = sentences.at(number % sentences.length);
  byId("sentence").selectedIndex = sentences.indexOf(models);
  byId("source").textContent = models[0].source;
  byId("target").textContent = models[0].target;
  maps.show(models);
}

byId("sentence").append(...sentences.map(([{ source }], i) => new Option(`${i + 1} / ${sentences.length}: ${source}`)));
byId("sentence").addEventListener("change", ({ target }) => show(target.selectedIndex));
byId("previous").addEventListener("click", () => show(byId("sentence").selectedIndex - 1));
byId("next").addEventListener("click", () => show(byId("sentence").selectedIndex + 1));
show(0);
