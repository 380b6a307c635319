"""Data that cannot be used, through the whole program: status 2, one line, nothing left to trip over."""

import pytest

from tests.train_frame import files, status

SENTENCES = "".join(f"a dog and {n} cats\n" for n in range(40))
FILES = {
    "a.en": SENTENCES.encode(),
    "a.de": SENTENCES.encode(),
    "short.de": b"ein Hund\n",
    "bad.de": SENTENCES.encode().replace(b"7", b"\xff"),
}
GOOD = ["data=files", "data.train=[a.en,a.de]", "data.val=[a.en,a.de]", "trainer.accelerator=cpu"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["data.train=[a.en,short.de]"], "40 lines"),
        (["data.train=[a.en,bad.de]"], "not UTF-8"),
        (["tokenizer.vocab_size=5000"], "tokenizer.vocab_size"),
        (["data.train=null", f"data.path={'x' * 300}"], "File name too long"),
    ],
)
def test_bad_data_is_one_line_and_leaves_no_folder(words, message, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    assert status(monkeypatch, *GOOD, *words, "hydra.run.dir=here") == 2
    err = capfd.readouterr().err
    assert err.startswith("error: ") and err.count("\n") == 1 and message in err
    assert files(tmp_path) == sorted(FILES) and not (tmp_path / "here").exists()
