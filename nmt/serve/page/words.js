// The words of the page, in the language of the browser.

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
  legend: "낱말을 가리키면 그 낱말이 다른 쪽 글의 어느 낱말을 보는지 나타납니다. " +
    "주황색 줄은 모델이 확신하지 못한 조각입니다.",
  layer: "층",
  head: "헤드",
  mean: count => `${count}개의 평균`,
  sure: (piece, percent) => `‘${piece}’: 확신 ${percent} %`,
  failed: "서버가 응답하지 않습니다.",
};

export const language = navigator.language.startsWith("ko") ? "ko" : "en";
export const words = language === "ko" ? korean : english;
