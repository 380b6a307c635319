"""The room of the pages: their files joined to one text, and the name by which a browser knows a script."""

from nmt import page


def test_files_are_joined_in_the_order_of_their_names() -> None:
    own = page.text("__init__.py")
    assert own.startswith('"""') and own.endswith("\n")
    assert page.text("__init__.py", "__init__.py") == own + own


def test_a_script_is_called_by_its_digest() -> None:
    # the value of https://www.w3.org/TR/CSP3/#grammardef-hash-source, for UTF-8
    assert page.digest("alert('Hello, world.');") == "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="
    assert page.digest("“") != page.digest("?")
