"""Korean words that tell where a sentence ends. Korean has no capital letters that show where one begins."""

from __future__ import annotations

# The syllables that end in ㅂ, as 합 of 합니다: every 28th, from 갑 on.
_WITH_B = "".join(map(chr, range(ord("갑"), ord("힣") + 1, 28)))

# Polite endings of verbs. The sentence ends with them, with or without a mark. No other words end so, except 좋아요 as
# the name of a button.
ENDING = (
    rf"(?: [{_WITH_B}](?:니다|니까|시다) | 십시오 | (?! (?<= \b좋 ) 아 ) [게군까나네돼봐세아어에여예와줘지해]요 | 죠 )"
)

# How most sentences end. "데이터베이스.표" is a name, and no end of a sentence.
LAST_SYLLABLE = "[까다요죠]"

# The letters of a list, as in "가. 목적 나. 범위".
LABEL = "[가나다라마바사아자차카타파하]"

# Particles at the end of a word that cannot end a sentence, as in "그건... 좀 어렵다.".
UNFINISHED = "[건는를은을의]"

# Particles that belong to the word before them, even after a mark: "가자!" 라고 말했다.
PARTICLE = r"(?: 이?라[고는며] | 이?라면서 | [를을] ) (?! \p{Hangul} )"
AFTER_QUOTE = r"(?: 하고 | 하는 | 하며 ) (?! \p{Hangul} )"
