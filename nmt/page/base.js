// What all pages share: elements, words in the reader's language, and labels of pieces.

const LONGEST = 26; // characters of a label
const spoken = JSON.parse(document.getElementById("words").textContent);
let language, words; // see speak()

const byId = (id) => document.getElementById(id);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const cut = (label) => ([...label].length > LONGEST ? [...label].slice(0, LONGEST - 1).join("") + "…" : label);
const shown = (label) => cut(label.replace(/^▁+$/, "␣"));
const filled = (text, places) => text.replace(/\{(\w+)\}/g, (_, place) => places[place]?.toLocaleString(language));
const say = (name, places = {}) => filled(words[name], places);
const isMark = (label) => /^<.*>$/.test(label);
// The first letter decides, as with dir="auto".
const isRightToLeft = (text) => /^\P{L}*(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u.test(text);

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// An element whose text follows the language.
function saying(name, key) {
  const made = element(name, { textContent: say(key) });
  made.dataset.say = key;
  return made;
}

// Changes the language: of elements with data-say or data-label at once, and of all that listens to "language".
function speak(code) {
  [language, words] = [code, spoken[code]];
  document.documentElement.lang = code;
  for (const each of document.querySelectorAll("[data-say]")) each.textContent = say(each.dataset.say);
  for (const each of document.querySelectorAll("[data-label]")) each.title = each.ariaLabel = say(each.dataset.label);
  document.dispatchEvent(new Event("language"));
}

// Explains the marks in labels, such as ▁.
function legend(labels) {
  const marks = labels.flatMap((label) => shown(label).match(/^(▁(?=.)|␣|<.*>$)/)?.[0] ?? []);
  const found = Object.fromEntries(marks.map((mark) => [/^<[0-9A-F]{2}>$/.test(mark) ? "byte" : mark, mark]));
  return Object.entries(words.marks).map(([name, text]) => (found[name] ? `${found[name]}: ${text}. ` : "")).join("");
}

byId("language").addEventListener("click", () => speak(language === "ko" ? "en" : "ko"));
speak(navigator.language.startsWith("ko") ? "ko" : "en");
