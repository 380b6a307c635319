// What all pages share: elements, words in the reader's language, and labels of pieces.

const spoken = JSON.parse(document.getElementById("words").textContent);
let language, words; // see speak()

const byId = (id) => document.getElementById(id);
const percent = (value) => `${value < 0.005 ? "< 1" : Math.round(100 * value)}\u00a0%`;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const shown = (label) => label.replace(/^▁+$/, "␣").replace(/^(.{25}).{2,}$/su, "$1…"); // at most 26 characters
const filled = (text, places) => text.replace(/\{(\w+)\}/g, (_, place) => places[place]?.toLocaleString(language));
const say = (name, places = {}) => filled(words[name], places);
// The first letter decides, as with dir="auto".
const isRightToLeft = (text) => /^\P{L}*(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u.test(text);

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Offers pairs of a value and a text. What was chosen stays chosen if it is still there.
function offer(select, pairs, chosen = select.value) {
  select.replaceChildren(...pairs.map(([value, text]) => new Option(text, value, false, `${value}` === chosen)));
  select.disabled = pairs.length < 2;
}

// Writes the texts of elements with data-say, and the names of those with data-label.
function write(root) {
  for (const each of root.querySelectorAll("[data-say]")) each.textContent = say(each.dataset.say);
  for (const each of root.querySelectorAll("[data-label]")) {
    each.title = each.ariaLabel = each.placeholder = say(each.dataset.label);
  }
}

// Changes the language, and tells it to all that listens to "language".
function speak(code) {
  [language, words] = [code, spoken[code]];
  document.documentElement.lang = code;
  write(document);
  document.dispatchEvent(new Event("language"));
}

// Explains the marks in labels, such as ▁.
function legend(labels) {
  const marks = labels.flatMap((label) => shown(label).match(/^(▁(?=.)|␣|<.*>$)/)?.[0] ?? []);
  const found = Object.fromEntries(marks.map((mark) => [/^<[0-9A-F]{2}>$/.test(mark) ? "byte" : mark, mark]));
  return Object.entries(words.marks).map(([name, text]) => (found[name] ? `${found[name]}: ${text}. ` : "")).join("");
}

byId("language").onclick = () => speak(language === "ko" ? "en" : "ko");
speak(navigator.language.startsWith("ko") ? "ko" : "en");
