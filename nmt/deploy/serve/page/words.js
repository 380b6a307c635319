// The words of the page, in the language of the browser.

const listed = (beginning, names, reasons) =>
  reasons.length ? `${beginning} ${reasons.map(each => names[each]).join(", ")}.` : "";

const english = {
  title: "Translation",
  placeholder: "Type a text",
  detect: "Detect language",
  detected: name => `Detected: ${name}`,
  from: "Translate from",
  to: "Translate to",
  swap: "Swap languages",
  copy: "Copy",
  copied: "Copied",
  key: "API key",
  alternatives: "Other translations",
  attention: "What the model looked at",
  legend: "Point at a word to see which words of the other text it depends on. " +
    "An orange line marks pieces of which the model was not sure.",
  layer: "Layer",
  head: "Head",
  mean: count => `mean of ${count}`,
  sure: (piece, percent) => `“${piece}”: ${percent} % sure`,
  doubtful: reasons => listed("This may be wrong:", {
    script: "the text is not in the script of its language",
    language: "the text looks like another language",
    unknown: "the model does not know the characters of the text",
    repeated: "words come again and again",
    length: "the lengths do not fit",
    cut: "the end is missing",
    unsure: "the model is not sure",
  }, reasons),
  failed: "The server does not answer.",
};

const korean = {
  title: "번역",
  placeholder: "글을 입력하세요",
  detect: "언어 감지",
  detected: name => `감지된 언어: ${name}`,
  from: "원문 언어",
  to: "번역 언어",
  swap: "언어 바꾸기",
  copy: "복사",
  copied: "복사했습니다",
  key: "API 키",
  alternatives: "다른 번역",
  attention: "모델이 본 곳",
  legend: "단어를 가리키면 다른 쪽 글의 어느 단어와 이어지는지 나타납니다. " +
    "주황색 줄은 모델이 확신하지 못한 조각입니다.",
  layer: "층",
  head: "헤드",
  mean: count => `${count}개의 평균`,
  sure: (piece, percent) => `‘${piece}’: 확신 ${percent}%`,
  doubtful: reasons => listed("번역이 틀렸을 수 있습니다:", {
    script: "글이 원문 언어의 문자로 쓰여 있지 않음",
    language: "글이 다른 언어로 보임",
    unknown: "모델이 글의 문자를 모름",
    repeated: "같은 말이 되풀이됨",
    length: "길이가 맞지 않음",
    cut: "끝이 잘림",
    unsure: "모델이 확신하지 못함",
  }, reasons),
  failed: "서버가 응답하지 않습니다.",
};

export const language = navigator.language.startsWith("ko") ? "ko" : "en";
export const words = language === "ko" ? korean : english;
