"""Tables as Markdown, TSV and text for a terminal."""

from __future__ import annotations

from nmt.cli.table import Cell, Column, Table, text_cell, to_markdown, to_text, to_tsv

COLUMNS = [Column("name", number=False), Column("BLEU", parts=("BLEU", "BLEU ±")), Column("two words")]
TABLE = Table(
    COLUMNS,
    [
        [text_cell("a|b"), Cell("1.23 ± 0.10", (1.2345, 0.1)), Cell("7", (7,))],
        [text_cell("c"), Cell("2.00", (2.0, None)), Cell("", (None,))],
    ],
)


def test_tsv_has_all_digits_and_a_column_for_each_part() -> None:
    assert to_tsv(TABLE) == "name\tBLEU\tBLEU ±\ttwo words\na|b\t1.2345\t0.1\t7\nc\t2.0\t\t\n"


def test_markdown_has_the_cells_as_they_are_shown() -> None:
    head, marks, first, second = to_markdown(TABLE).splitlines()
    assert (head, marks) == ("| name | BLEU | two words |", "| --- | ---: | ---: |")
    assert (first, second) == ("| a\\|b | 1.23 ± 0.10 | 7 |", "| c | 2.00 |  |")


def test_the_last_columns_are_left_out_where_the_terminal_is_narrow() -> None:
    text, left_out = to_text(TABLE, 40)
    assert left_out == 0 and "words" in text and all(len(line) <= 40 for line in text.splitlines())
    text, left_out = to_text(TABLE, 20)
    assert left_out == 1 and "words" not in text and "1.23 ± 0.10" in text
    assert to_text(TABLE, 5)[1] == 1, "the first figures stay"


def test_short_texts_stay_on_one_line() -> None:
    rows = [[text_cell("a" * 20), text_cell("mean of 2"), Cell("1.23 ± 0.10", (1.23, 0.1))]]
    text, _ = to_text(Table([Column("name", number=False), Column("seed", number=False), Column("BLEU")], rows), 36)
    assert "mean of 2" in text
