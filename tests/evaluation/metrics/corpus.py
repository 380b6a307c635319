"""A small corpus with what scores stumble over: detached punctuation, quotes, an empty translation, a perfect one."""

REFERENCES = [
    "Ein Mann in einem roten Hemd fährt Fahrrad .",
    "Zwei Kinder spielen im Schnee, und ein Hund (braun) schaut zu.",
    'Sie sagte: "Nein!"',
    "Heute ist der 3. Mai 2021.",
    "Eine Frau liest.",
] * 3
HYPOTHESES = [
    "Ein Mann in einem roten Shirt fährt ein Fahrrad .",
    "Zwei Kinder spielen im Schnee und ein brauner Hund schaut zu.",
    'Sie sagte "Nein".',
    "Heute ist der 3. Mai 2021. ",
    "",
] * 3
