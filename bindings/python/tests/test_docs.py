"""The code of docs/python.md, run as it is there."""

import doctest
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "python.md"


def test_the_page():
    text = PAGE.read_text()
    blocks = re.findall(r"^```pycon\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 7
    code = "\n".join(blocks)
    test = doctest.DocTestParser().get_doctest(code, {}, PAGE.name, str(PAGE), 0)
    said = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert said == [], "".join(said)
