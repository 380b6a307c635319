// A page that translates while one types. It asks no other machine than its own server.

import { language, words } from "./words.js";
import { showAttention, showTranslation } from "./sentences.js";

const WAIT = 250; // milliseconds after the last key
const ALTERNATIVES = 3;
const byId = id => document.getElementById(id);
const [source, target, text, translation] = ["source", "target", "text", "translation"].map(byId);
const names = new Intl.DisplayNames([language], { type: "language", fallback: "none" });
let languages = [];
let timer = 0;
let asking = new AbortController();

function label() {
  document.documentElement.lang = language;
  document.title = words.title;
  text.placeholder = words.placeholder;
  source.ariaLabel = words.from;
  target.ariaLabel = words.to;
  text.ariaLabel = words.placeholder;
  translation.ariaLabel = words.title;
  byId("swap").title = byId("swap").ariaLabel = words.swap;
  byId("key").placeholder = byId("key").ariaLabel = words.key;
  byId("copy").textContent = words.copy;
  byId("alternatives").firstElementChild.textContent = words.alternatives;
  byId("attention").firstElementChild.textContent = words.attention;
  byId("legend").textContent = words.legend;
  for (const name of ["layer", "head"]) byId(name).previousElementSibling.textContent = words[name];
}

function nameOf(code) {
  try {
    return names.of(code) ?? languages.find(each => each.code === code)?.name ?? code;
  } catch { // the code of no language, such as that of a generated task
    return code;
  }
}

const targetsOf = code => languages.find(each => each.code === code).targets.filter(each => each !== code);

function fill(select, codes, chosen) {
  select.replaceChildren(...codes.map(code => new Option(code === "auto" ? words.detect : nameOf(code), code)));
  if (codes.includes(chosen)) select.value = chosen;
}

function fillTargets(chosen) {
  const all = source.value === "auto" ? languages.flatMap(each => targetsOf(each.code)) : targetsOf(source.value);
  fill(target, [...new Set(all)], chosen);
  byId("swap").disabled = source.value === "auto" || !languages.some(
    each => each.code === target.value && each.targets.includes(source.value));
}

// Offers the layers and heads of the model that has answered; "" stands for their mean.
function fillHeads(sentences) {
  for (const name of ["layer", "head"]) {
    const count = Math.max(0, ...sentences.map(each => each[`${name}s`]));
    const [select, chosen] = [byId(name), byId(name).value];
    const numbers = Array.from({ length: count }, (_, number) => new Option(number + 1));
    select.replaceChildren(new Option(words.mean(count), ""), ...numbers);
    select.value = chosen <= count ? chosen : "";
    select.parentElement.hidden = count < 2;
  }
}

function say(message, isError = false) {
  byId("message").textContent = message;
  byId("message").classList.toggle("error", isError);
}

function show(answer) {
  const sentences = answer.nmt ?? [];
  showTranslation(translation, answer.translatedText ?? "", sentences);
  translation.lang = target.value;
  byId("doubts").textContent = words.doubtful([...new Set(sentences.flatMap(each => each.doubts))]);
  byId("copy").hidden = !answer.translatedText || !navigator.clipboard; // which needs https, or this machine
  byId("alternatives").hidden = !answer.alternatives?.length;
  byId("alternatives").lastElementChild.replaceChildren(...(answer.alternatives ?? []).map(other => {
    const item = document.createElement("li");
    item.dir = "auto";
    item.textContent = other;
    return item;
  }));
  byId("attention").hidden = !sentences.some(each => each.attention);
  fillHeads(sentences);
  showAttention(byId("words"), translation, sentences, byId("readout"));
  say(answer.detectedLanguage?.confidence ? words.detected(nameOf(answer.detectedLanguage.language)) : "");
}

async function ask(path, fields, signal) {
  const answer = await fetch(path, fields && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(fields),
    signal,
  });
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.error);
  return content;
}

async function translate() {
  asking.abort(); // the server stops the work on what nobody waits for
  asking = new AbortController();
  const { signal } = asking;
  if (!text.value.trim()) {
    translation.ariaBusy = "false";
    return show({});
  }
  translation.ariaBusy = "true";
  const [layer, head] = [byId("layer").value, byId("head").value];
  const fields = {
    q: text.value, source: source.value, target: target.value, alternatives: ALTERNATIVES, nmt: true, layer, head,
  };
  try {
    show(await ask("translate", { ...fields, api_key: byId("key").value }, signal));
  } catch (error) {
    if (signal.aborted) return;
    say(error instanceof TypeError ? words.failed : error.message, true);
  }
  translation.ariaBusy = "false";
}

function typed() {
  clearTimeout(timer);
  timer = setTimeout(translate, WAIT);
  byId("count").textContent = `${text.value.length.toLocaleString()} / ${text.maxLength.toLocaleString()}`;
}

function swap() {
  const [from, to] = [source.value, target.value];
  text.value = translation.textContent || text.value;
  source.value = to;
  fillTargets(from);
  typed();
}

async function copy() {
  await navigator.clipboard.writeText(translation.textContent);
  byId("copy").textContent = words.copied;
  setTimeout(() => { byId("copy").textContent = words.copy; }, 1500);
}

async function start() {
  label();
  try {
    const [settings, found] = await Promise.all([ask("frontend/settings"), ask("languages")]);
    languages = found;
    text.maxLength = settings.charLimit;
    byId("key").hidden = !settings.keyRequired;
  } catch {
    return say(words.failed, true);
  }
  const sources = languages.filter(each => targetsOf(each.code).length).map(each => each.code);
  fill(source, sources.length > 1 ? ["auto", ...sources] : sources, sources[0]);
  fillTargets();
  for (const select of [source, target]) {
    select.addEventListener("change", () => {
      for (const name of ["layer", "head"]) byId(name).value = ""; // another model may have fewer
      fillTargets(target.value);
      translate();
    });
  }
  text.addEventListener("input", typed);
  for (const name of ["key", "layer", "head"]) byId(name).addEventListener("change", translate);
  byId("swap").addEventListener("click", swap);
  byId("copy").addEventListener("click", copy);
  typed();
}

start();
