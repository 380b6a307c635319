"""Tables as Markdown, TSV and text for a terminal."""

from __future__ import annotations

from nmt.cli.table import Cell, Column, Table, text_cell, to_markdown, to_text, to_tsv

COLUMNS = [Column("name", number=False), Column("BLEU", parts=("BLEU", "BLEU ±")), Column("two words")]
TABLE = Table(
    COLUMNS,
    [
        [text_cell("a|b\tc"), Cell("1.23 ± 0.10", (1.2345, 0.1)), Cell("7", (7,))],
        [text_cell("c"), Cell("2.00", (2.0, None)), Cell("", (None,))],
    ],
)


def test_tsv_has_all_digits_and_a_column_for_each_part() -> None:
    assert to_tsv(TABLE) == "name\tBLEU\tBLEU ±\ttwo words\na|b\\tc\t1.2345\t0.1\t7\nc\t2.0\t\t\n"


def test_markdown_and_text_have_the_cells_as_they_are_shown() -> None:
    head, marks, first, second = to_markdown(TABLE).splitlines()
    assert (head, marks) == ("| name | BLEU | two words |", "| --- | ---: | ---: |")
    assert (first, second) == ("| a\\|b\\tc | 1.23 ± 0.10 | 7 |", "| c | 2.00 |  |")
    lines = to_text(TABLE).splitlines()
    assert [line.split() for line in lines] == [
        *(["name", "BLEU", "two"], ["words"]),
        *(["a|b\\tc", "1.23", "±", "0.10", "7"], ["c", "2.00"]),
    ]
    assert len({len(line) for line in lines if "7" in line or "words" in line}) == 1, "figures end at the same place"
