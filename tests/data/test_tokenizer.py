"""Text survives the way to ids and back, and training is reproducible, cached by content and clear about its limits."""

import contextlib
import io
import logging
import os
import random
import unicodedata

import pytest
import regex
import sentencepiece
import torch

from nmt.data.normalization import normalized
from nmt.data.pair import SentencePair, Split
from nmt.data.subwords import SAMPLERS
from nmt.data.tokenizer import Tokenizer, default_size
from nmt.errors import UserError
from nmt.text.protect import NO_SPANS, Spans
from nmt.tokens import BOS, EOS, PAD, RESERVED, UNK, Piece

STRANGE = [
    "a </s> b <pad> <s> <unk> <0x0A>",
    "emoji 😀👩‍👩‍👧 한국어 日本語 עברית",
    "½ … ﬁ Å ² „Zitat“ don't",
    "1234567890 3.14",
    "tab\tand\nline\r\nends\u2028here",
    "  two  spaces ",
    "\u00a0no-break\u202fspaces\u3000",
    "e\u0301 decomposed \u1112\u1161\u11ab\u1100\u116e\u11a8",
    "كُتَّاب stacked marks ỹ̨",
    "<0x41> ｟0｠ and ｟15｠｟16｠",
    "nul\0 and \x7f and \ufeff",
    "",
    " ",
]


@pytest.fixture(scope="module")
def pairs():
    rng = random.Random(0)
    words = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(1, 7))) for _ in range(300)]
    return [
        SentencePair(" ".join(rng.choices(words, k=6)), " ".join(rng.choices(words, k=6)).upper()) for _ in range(400)
    ]


@pytest.fixture
def train(pairs, tokenizer_config):
    def make(type="unigram", *, cache_dir=None, pairs=pairs, spans=NO_SPANS, tags=(), **changes):
        config = tokenizer_config(type, **({"vocab_size": 400} | changes))
        return Tokenizer.train(Split.of(pairs), config, cache_dir=cache_dir, spans=spans, tags=tags)

    return make


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("type", ["unigram", "bpe"])
def test_round_trip(train, pairs, type, joint):
    tokenizer = train(type, joint=joint)
    assert tokenizer.joint is joint
    assert tokenizer.source_vocab_size == tokenizer.target_vocab_size == 400
    texts = STRANGE + [pair.target for pair in pairs[:20]]
    targets = tokenizer.encode_target(texts)
    assert [tokenizer.decode_target(ids) for ids in targets] == [normalized(text) for text in texts]
    sources = tokenizer.encode_source(texts)
    swapped = tokenizer if joint else Tokenizer(tokenizer.target_model, tokenizer.source_model)
    assert [swapped.decode_target(ids) for ids in sources] == [normalized(text) for text in texts]
    for ids in sources + targets:
        # Control symbols written out are text: only the end is special, and nothing is unknown.
        assert ids[-1] == EOS and all(EOS < index < 400 for index in ids[:-1])
    assert tokenizer.encode_source([""]) == [[EOS]] and tokenizer.encode_source([]) == []


def test_decoding_stops_at_eos_and_drops_specials(train):
    tokenizer = train()
    (ids,) = tokenizer.encode_target(["abc def"])
    assert tokenizer.decode_target([BOS, PAD, *ids, *ids, PAD]) == "abc def"
    assert tokenizer.decode_target(torch.tensor(ids)) == "abc def"
    newline = tokenizer.target_pieces(range(300)).index(Piece("<U+000A>"))
    assert tokenizer.decode_target([*ids[:-1], newline, *ids]) == "abc def abc def"


def test_pieces_are_readable_one_an_id(train):
    tokenizer = train()
    (ids,) = tokenizer.encode_source(["abc 한é😀!"])
    pieces = tokenizer.source_pieces(ids)
    labels = [piece.label for piece in pieces]
    assert len(pieces) == len(ids)
    assert "".join(labels[:-1]).startswith("▁abc▁한<95><9C>é<A9>😀<9F><98><80>!") and labels[-1] == "</s>"
    later = [piece.label for piece in pieces if piece.continues]
    assert later == ["<95>", "<9C>", "<A9>", "<9F>", "<98>", "<80>"]
    last = tokenizer.source_pieces(range(300)).index(Piece("<FF>"))
    specials = tokenizer.source_pieces([PAD, UNK, BOS, last, ids[0]])[:4]
    assert specials == [Piece("<pad>"), Piece("<unk>"), Piece("<s>"), Piece("<FF>")]
    assert tokenizer.source_pieces(ids) == tokenizer.target_pieces(ids)
    pieces = tokenizer.source_pieces(tokenizer.encode_source(["ไ\u200bไ\ue000c"])[0])
    assert "".join(piece.label for piece in pieces if not piece.continues) == "▁ไ<U+200B>ไ<U+E000>c</s>", "invisible"
    assert sum(piece.continues for piece in pieces) == 4 * 2


def models(tokenizer):
    return tokenizer.source_model, tokenizer.target_model


def test_training_is_deterministic(train):
    first, second = train(joint=False), train(joint=False)
    assert models(first) == models(second)
    again = Tokenizer(*models(first))
    assert again.encode_source(STRANGE) == first.encode_source(STRANGE)
    assert again.encode_target(STRANGE) == first.encode_target(STRANGE)
    assert first.source_pieces(range(400)) != first.target_pieces(range(400))


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: (path.touch(), os.truncate(path, 3 * 10**12))])
def test_a_pipe_or_a_file_of_terabytes_is_no_sentencepiece_model(make, tokenizer_config, tmp_path):
    make(tmp_path / "own")
    with pytest.raises(UserError, match=r"tokenizer\.path: .*own: .*; expected a SentencePiece model"):
        Tokenizer.train(Split.of([]), tokenizer_config("bpe", path=str(tmp_path / "own")), cache_dir=None)


IDS = {"pad_id": PAD, "unk_id": UNK, "bos_id": BOS, "eos_id": EOS}


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({}, r"got ids \[-1, 0, 1, 2\] for pad, unk, bos, eos, expected \[0, 1, 2, 3\]; train it with --pad_id=0"),
        (IDS, "does not name the 256 bytes.*--byte_fallback"),
        ({**IDS, "byte_fallback": True, "model_type": "char"}, "neither unigram nor bpe; train it with .*=unigram"),
        ({**IDS, "byte_fallback": True}, "spans: got a, .*no pieces for their marks.*--user_defined_symbols=｟0｠,"),
        ({**IDS, "byte_fallback": True, "user_defined_symbols": RESERVED}, ""),
    ],
)
def test_a_model_of_ones_own(tokenizer_config, tmp_path, flags, message):
    model, flags = io.BytesIO(), {"vocab_size": 300, "hard_vocab_limit": False, "minloglevel": 2, **flags}
    texts = iter(["a man", "two dogs"])
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=texts, model_writer=model, **flags)
    (tmp_path / "own").write_bytes(model.getvalue())
    config = tokenizer_config("bpe", path=str(tmp_path / "own"))
    with pytest.raises(UserError, match=message) if message else contextlib.nullcontext():
        tokenizer = Tokenizer.train(Split.of([]), config, cache_dir=None, spans=Spans({"a": "a"}))
        assert (tokenizer.type, tokenizer.source_model) == ("unigram", model.getvalue())


def test_a_damaged_model_is_refused(train):
    model = train().source_model
    assert model.count(b"<0x41>") == model.count(b"<0x42>") == 1
    swapped = model.replace(b"<0x41>", b"------").replace(b"<0x42>", b"<0x41>").replace(b"------", b"<0x42>")
    for bad, message in (
        (b"", "empty or very large"),
        (b"junk", "is damaged"),
        (model.replace(b"<0x41>", b"<0x41\xff"), "is damaged"),
        (model.replace(b"<0x41>", b"<0x4Z>"), "is damaged"),
        (swapped, "does not name the 256 bytes in order"),
    ):
        with pytest.raises(UserError, match=message):
            Tokenizer(bad)


@pytest.mark.parametrize("every", [97, pytest.param(1, marks=pytest.mark.slow)])
def test_the_rule_in_the_model_is_the_normalization(train, every):
    """Both are compared on all characters that no script needs, and on other spellings of syllables and marks."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=train().source_model)
    of_scripts = regex.compile(
        r"[\p{DI}--[\u00ad\u17b4\u17b5\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufff8]]", regex.V1
    )
    characters = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000 and code != 0x2581]
    characters = [character for character in characters if not of_scripts.match(character)]
    changed = [text for text in characters if text != normalized(text) or text != unicodedata.normalize("NFD", text)]
    rng, marks = random.Random(0), "\u0300\u0301\u0302\u0308\u030a\u0323\u0327\u0328"
    stacks = ["".join([rng.choice("aeiouycnsAEOU"), *rng.choices(marks, k=rng.randint(1, 2))]) for _ in range(3000)]
    accents = [text for text in stacks if len(normalized(text)) == 1]
    assert len(accents) > 500
    for texts in (changed[::every], characters[::every], accents, ["각", "foot\u00adb\u200ball \u200b"]):
        for form in ("NFC", "NFD"):
            spelt = [unicodedata.normalize(form, text) for text in texts] + texts
            found = [processor.normalize(f"({text})")[1:].replace("\u2581", " ") for text in spelt]
            assert found == [normalized(f"({text})") for text in spelt]


@pytest.mark.parametrize("type", ["unigram", "bpe"])
def test_every_vocabulary_has_the_reserved_pieces(train, type):
    tokenizer = train(type)
    assert set(RESERVED) < set(tokenizer.target_vocabulary) and len(RESERVED) == 16
    for piece in RESERVED:
        labels = [each.label for each in tokenizer.source_pieces(tokenizer.encode_source([f"ab{piece}cd"])[0])]
        assert labels.count(piece) == 1


def test_cache_is_found_by_content(train, pairs, tmp_path, caplog):
    caplog.set_level(logging.INFO, "nmt")
    cache = tmp_path / "cache"
    fresh = train(cache_dir=cache)
    (entry,) = cache.iterdir()  # and nothing half-written beside it
    assert models(train(cache_dir=cache)) == models(fresh)
    assert caplog.messages[-1].endswith(f"from {entry}")
    entry.write_bytes(b"damaged")
    assert models(train(cache_dir=cache)) == models(fresh) and entry.stat().st_size > 99
    train("bpe", cache_dir=cache)
    train(vocab_size=390, cache_dir=cache)
    train(pairs=pairs[:-1], cache_dir=cache)
    assert len(list(cache.iterdir())) == 4
    patterns = {"word": r"\w+", "first": r"\w"}
    for spans in (Spans(patterns), Spans(dict(reversed(patterns.items()))), Spans(patterns)):
        train(vocab_size=None, cache_dir=cache, spans=spans)
    assert len(list(cache.iterdir())) == 6, "the order of patterns counts"


@pytest.mark.parametrize("type", ["unigram", "bpe"])
def test_vocabulary_limits(train, type):
    with pytest.raises(UserError, match=r"got 60000 for the joint training text.* set it to a value <= \d+") as error:
        train(type, vocab_size=60_000)
    most = int(str(error.value).split("<= ")[1].split(".")[0])
    assert train(type, vocab_size=most).source_vocab_size == most
    with pytest.raises(UserError, match=rf"a value <= {most}\."):
        train(type, vocab_size=most + 1)
    with pytest.raises(UserError, match=r"got 100 .* smaller than required_chars\. 100 vs 309\."):
        train(type, vocab_size=100)


@pytest.mark.parametrize("type", ["unigram", "bpe"])
def test_without_a_size_the_corpus_decides(train, pairs, type):
    characters = {" "}.union(*(pair.source + pair.target for pair in pairs[:100]))
    assert train(type, vocab_size=None, pairs=pairs[:100]).source_vocab_size == default_size(len(characters), 100)
    few = [SentencePair("가나다", "abc")] * 9
    assert 276 + 7 <= train(type, vocab_size=None, pairs=few).source_vocab_size < default_size(7, 9)


def test_the_log_names_every_nth_pair(train, pairs, caplog):
    caplog.set_level(logging.INFO, "nmt")
    thinned = train(max_pairs=150)
    assert caplog.messages[0].endswith(", trained on one pair in 3 of 400")
    assert models(thinned) == models(train(pairs=pairs[::3]))


@pytest.mark.parametrize("type", ["unigram", "bpe"])
def test_a_source_begins_with_the_tag_of_its_target_language(train, pairs, type, tmp_path):
    plain, tagged = train(type, cache_dir=tmp_path), train(type, cache_dir=tmp_path, tags=["de", "pt_BR"])
    texts = [*STRANGE, ">>de<< a dog", *(pair.source for pair in pairs[:20])]
    assert plain.tags == {} and plain.towards("de") is plain
    assert set(tagged.tags) == {"de", "pt_BR"} and tagged.source_vocabulary[tagged.tags["pt_BR"]] == ">>pt_BR<<"
    assert not {*tagged.tags.values()} & {index for ids in tagged.encode_source(texts) for index in ids}, "only text"
    usual = tagged.encode_source(texts)
    for language, index in tagged.tags.items():
        turned = tagged.towards(language)
        assert turned.encode_source(texts) == [[index, *ids] if ids != [EOS] else ids for ids in usual]
        assert turned.encode_target(texts) == tagged.encode_target(texts)
        assert turned.decode_target([index, *usual[-1]]) == texts[-1] and turned.digest() != tagged.digest()
        assert turned.source_pieces([index])[0].is_outside and not turned.source_pieces([index])[0].is_special
        sampler = SAMPLERS[type](turned.inventories[0], 0.5)
        drawn = [sampler(ids, random.Random(1)) for ids in turned.encode_source(texts[-20:])]
        assert {ids[0] for ids in drawn} == {index}
        assert [turned.decode_target(ids) for ids in drawn] == texts[-20:]
    with pytest.raises(UserError, match="target_lang: got ko, expected de, pt_BR, or init_tokenizer=new"):
        tagged.towards("ko")
