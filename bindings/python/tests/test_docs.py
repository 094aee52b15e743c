"""The code of docs/python.md and of the package's README, run as it is there."""

import doctest
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES = {"docs/python.md": 9, "bindings/python/README.md": 1}
# What a block of a page imports from its reader.
MY_SERVER = """
import fastmcp

server = fastmcp.FastMCP("words")


@server.tool(annotations={"readOnlyHint": True})
def count(word: str) -> int:
    "Counts the letters of a word."
    return len(word)
"""


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_the_sessions(page):
    found = blocks(page, "pycon")
    assert len(found) >= PAGES[page]
    test = doctest.DocTestParser().get_doctest("\n".join(found), {}, page, page, 0)
    said = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert said == [], "".join(said)


@pytest.mark.parametrize("index", range(4))
def test_the_programs(index, tmp_path):
    pytest.importorskip("fastmcp", reason="FastMCP is not installed")
    found = blocks("docs/python.md", "python")
    assert len(found) == 4
    code = found[index]
    (tmp_path / "my_server.py").write_text(MY_SERVER)
    (tmp_path / "test_page.py").write_text(code)
    is_test = "contracts(" in code
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider"] if is_test else []
    entry = PLUGIN_IS_INSTALLED or not is_test
    command += [] if entry else ["-p", "toolsure.pytest_plugin"]
    done = subprocess.run([sys.executable, *command, "test_page.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    # A warning says that no tool was called.
    expected = ["1 passed in"] if is_test else re.findall(r"# → (.*)", code)
    for line in expected:
        assert line in done.stdout


def plugin_is_installed():
    from importlib.metadata import entry_points

    return any(one.value == "toolsure.pytest_plugin" for one in entry_points(group="pytest11"))


PLUGIN_IS_INSTALLED = plugin_is_installed()
