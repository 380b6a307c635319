// Normalization as in nmt/data/normalization.py, and SentencePiece's tokenizers: unigram and BPE.

const [PAD, BOS, EOS] = [0, 2, 3];
const SAME = /[\u0f0c\u2010\u2011\u2800\u3164\uffa0\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/g;
const USUAL = { "\u0f0c": "\u0f0b", "\u2010": "-", "\u2011": "-", "\u2800": " ", "\u3164": " ", "\uffa0": " " };
const UNSEEN = new RegExp(String.raw`[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e`
  + String.raw`\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufff8\u{e0000}-\u{e0fff}]+`, "gu");
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const RIGHT_TO_LEFT =
  /(?![\p{DI}\p{M}\p{N}\p{P}])[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const scripts = (names) => names.split(" ").map((name) => `\\p{sc=${name}}`).join("");
const UNSPACED = `[${scripts("Thai Lao Khmer Myanmar Tai_Le New_Tai_Lue Tai_Tham Tai_Viet Ahom")}]`;
const SEPARATE = `\\p{Lu}\\p{Ll}\\p{Lt}${scripts("Latin Han Hangul Hiragana Katakana Common Inherited")}`;
const JOINING = `(?:(?![${SEPARATE}])[\\p{L}\\p{M}])`, WORD = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}]";
const NEEDED = new RegExp([ // an unseen character that a script or an emoji needs, between the characters beside it
  `${UNSPACED}\u200b${UNSPACED}|${JOINING}[\u034f\u200c]${WORD}|${WORD}[\u034f\u200c]${JOINING}`,
  `${JOINING}\u200d|\u200d${JOINING}|(?![\0-\x7f])\\p{Emoji}\u200d\\p{ExtPict}|[#*0-9]\ufe0f\u20e3`,
  String.raw`\u{1f3f4}[\u{e0020}-\u{e007f}]|[\u1100-\u115f\ua960-\ua97c]\u1160`,
  "\u115f[\u1160-\u11ff\ud7b0-\ud7fb]|\u1160[\u11a8-\u11ff\ud7cb-\ud7fb]",
  `(?:(?![\0-\x7f])[\\p{Emoji}\\p{Sm}\\p{So}\\p{sc=Han}]|${JOINING})[\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
].join("|"), "u");

// Returns a text without the characters that nobody sees and no script needs where they stand.
function withoutHints(text) {
  return text.replace(UNSEEN, (run, start) => {
    const before = [...text.slice(Math.max(0, start - 2), start)].at(-1) ?? "", end = start + run.length;
    const [after = ""] = text.slice(end, end + 2);
    return [...run].reduce((kept, each) => {
      const again = /[\u200b-\u200d]/.test(each) && kept.endsWith(each);
      const directs = DIRECTION.test(each) && RIGHT_TO_LEFT.test(text);
      return !again && (directs || NEEDED.test(before + each + after)) ? kept + each : kept;
    }, "");
  });
}

function normalized(text) {
  const usual = withoutHints(text).replace(SAME, (each) => USUAL[each] ?? each.normalize("NFKC"));
  return usual.split(/[\s\x1c-\x1f\x85]+/).filter((word) => word).join(" ").normalize("NFC");
}

const utf8 = (text) => [...new TextEncoder().encode(text)];
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const hex = (value, digits = 2) => value.toString(16).toUpperCase().padStart(digits, "0");

class Tokenizer {
  // `scores` has null for a piece that no text has, `bytes` is the id of the first byte, and `unknown` the score of a
  // character without a piece. `marks` are pieces that BPE finds first.
  constructor(settings) {
    Object.assign(this, settings);
    const scored = this.pieces.map((piece, id) => [piece, this.scores[id]]).filter(([, score]) => score !== null);
    this.scoreOf = new Map(scored.map(([piece, score]) => [piece, Math.fround(score)]));
    this.ids = new Map(this.pieces.map((piece, id) => [piece, id]));
    this.longest = Math.max(...this.pieces.map((piece) => piece.length));
  }

  encode(text) {
    const clean = normalized(text), marked = clean && `▁${clean.replaceAll(" ", "▁")}`.replace(/▁+$/, "");
    const found = this.type === "bpe" ? this.merged(marked) : this.best(marked);
    return [...found.flatMap((piece) =>
      (this.scoreOf.has(piece) ? [this.ids.get(piece)] : utf8(piece).map((byte) => this.bytes + byte))), EOS];
  }

  // Unigram: the pieces with the highest sum of scores, in float32 as in SentencePiece (Viterbi).
  best(text) {
    const sums = vector(text.length + 1).fill(-Infinity), starts = new Int32Array(text.length + 1), found = [];
    sums[0] = 0;
    for (let start = 0, width; start < text.length; start += width) {
      width = text.codePointAt(start) > 0xffff ? 2 : 1;
      for (let end = start + 1; end <= Math.min(text.length, start + Math.max(2, this.longest)); end++) {
        const score = this.scoreOf.get(text.slice(start, end)) ?? (end === start + width ? this.unknown : -Infinity);
        if (sums[start] + score > sums[end]) [sums[end], starts[end]] = [sums[start] + score, start];
      }
    }
    for (let end = text.length; end > 0; end = starts[end]) found.unshift(text.slice(starts[end], end));
    return found;
  }

  // BPE: again and again, joins the neighbours whose piece has the highest score; the first among equals.
  merged(text) {
    const found = [];
    for (let place = 0; place < text.length; place += found.at(-1).length) {
      const mark = this.marks.find((each) => text.startsWith(each, place));
      found.push(mark ?? String.fromCodePoint(text.codePointAt(place)));
    }
    for (;;) {
      const scores = found.map((piece, n) => this.scoreOf.get(piece + found[n + 1]) ?? -Infinity);
      const highest = most(scores);
      if (highest === -Infinity) return found;
      const n = scores.indexOf(highest);
      found.splice(n, 2, found[n] + found[n + 1]);
    }
  }

  // Returns for each id the text that it adds, and its label in pictures. A character stands at its first byte, and a
  // byte that belongs to no character is U+FFFD.
  read(ids) {
    const bytes = ids.map((id) => (id >= this.bytes && id < this.bytes + 256 ? id - this.bytes : null));
    let rest = 0;
    return ids.map((id, n) => {
      if (bytes[n] === null) return { text: this.pieces[id], label: this.pieces[id] };
      const run = bytes.slice(n, n + 4), end = run.indexOf(null);
      const [character] = decoder.decode(Uint8Array.from(end < 0 ? run : run.slice(0, end))), own = utf8(character);
      if (rest-- > 0) return { text: "", label: `<${hex(bytes[n])}>` };
      rest = own.every((byte, k) => byte === run[k]) ? own.length - 1 : 0;
      const shown = /[^\p{C}\p{Z}]| /u.test(character) ? character : `<U+${hex(character.codePointAt(0), 4)}>`;
      return { text: character, label: character === "\ufffd" ? `<${hex(bytes[n])}>` : shown };
    });
  }

  labels(ids) {
    return this.read(ids).map(({ label }) => label);
  }

  decode(ids) {
    const end = ids.indexOf(EOS), kept = ids.slice(0, end < 0 ? undefined : end).filter((id) => id > EOS);
    return normalized(this.read(kept).map(({ text }) => text).join("").replaceAll("▁", " "));
  }
}
