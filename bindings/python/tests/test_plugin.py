"""The plug-in of pytest, in modules of its own."""

import json
from importlib.metadata import entry_points

import pytest

import toolsure.pytest_plugin

pytest_plugins = ["pytester"]

GOOD = {"name": "good", "description": "Does good", "inputSchema": {"type": "object", "properties": {}}}
BAD = {"name": "bad", "description": "Does bad", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}}}
ODD = {"name": "odd", "inputSchema": {"type": "object", "properties": {"a": {"type": "integer", "description": "x"}}}}

# Where the package is installed, pytest knows it by its entry point.
PLUGIN = [] if any(one.value == "toolsure.pytest_plugin" for one in entry_points(group="pytest11")) else ["-p", "toolsure.pytest_plugin"]
HEAD = "from toolsure.pytest_plugin import contracts\n"


@pytest.fixture
def run(pytester):
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")

    def work(code):
        pytester.makepyfile(test_contracts=HEAD + code)
        return pytester.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider", "-v")

    return work


def test_a_listing_and_a_file(run, pytester):
    pytester.path.joinpath("tools.json").write_text(json.dumps({"tools": [GOOD, BAD]}))
    result = run(f"test_tools = contracts({[GOOD]!r})\ntest_file = contracts('tools.json')\n")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*test_tools::good PASSED*", "*tool `bad` breaks its contract:*", "*does not resolve*(at /inputSchema/properties/a/$ref)*"])
    assert "pytest_plugin.py" not in result.stdout.str()


@pytest.mark.parametrize(("options", "failed"), [("", 0), (", lint='note'", 1), (", lint=None", 0), (", lint='warning'", 1)])
def test_the_level_of_lint(run, options, failed):
    result = run(f"test_tools = contracts({[ODD]!r}{options})\n")
    result.assert_outcomes(passed=1 - failed, failed=failed)
    if failed:
        result.stdout.fnmatch_lines(["*warning TL006 *the tool has no description*"])


def test_a_tool_that_cannot_be_used_fails_without_lint(run):
    result = run(f"test_tools = contracts({[GOOD, BAD]!r}, lint=None)\n")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*does not resolve*"])


def test_servers(run):
    pytest.importorskip("fastmcp", reason="FastMCP is not installed")
    result = run(
        """
import fastmcp
import mcp_types as types
from mcp.server.lowlevel import Server

server = fastmcp.FastMCP("s")

@server.tool
def count(word: str) -> int:
    "Counts"
    return 1

async def list_tools(context, params):
    if params is None or params.cursor is None:
        tool = types.Tool(name="first", description="x", input_schema={"type": "object", "properties": {}})
        return types.ListToolsResult(tools=[tool], next_cursor="2")
    bad = types.Tool(name="second", description="x", input_schema={"type": "object", "$ref": "#/a"})
    return types.ListToolsResult(tools=[bad])

test_fastmcp = contracts(server)
test_function = contracts(lambda: server)
test_sdk = contracts(Server("low", on_list_tools=list_tools))
"""
    )
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*test_sdk::first PASSED*", "*test_sdk::second FAILED*"])


def test_nothing_to_test(run):
    result = run("test_none = contracts([])\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the server lists no tools*"])
    with pytest.raises(ValueError, match="lint must be one of"):
        toolsure.pytest_plugin.contracts([], lint="all")


def test_other_modules_are_left_alone(run):
    result = run("def test_a():\n    pass\nclass TestB:\n    def test_c(self):\n        pass\n")
    result.assert_outcomes(passed=2)


def test_marks_and_very_many_tools(run):
    result = run(f"import pytest\npytestmark = pytest.mark.skipif(True, reason='x')\ntest_tools = contracts({[GOOD]!r})\n")
    result.assert_outcomes(skipped=1)
    result = run('test_tools = contracts([{"name": f"t{i}", "inputSchema": {"type": "object", "propertys": {}}} for i in range(1500)], lint="note")\n')
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*lint found more than it lists*"])


def test_servers_of_other_classes_and_event_loops(run):
    pytest.importorskip("fastmcp", reason="FastMCP is not installed")
    result = run(
        """
import asyncio
import fastmcp

loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)

class Mine(fastmcp.FastMCP):
    pass

server = Mine("mine")

@server.tool
def count(word: str) -> int:
    "Counts"
    return 1

test_tools = contracts(server)

def test_loop():
    assert asyncio.get_event_loop() is loop
"""
    )
    result.assert_outcomes(passed=2)
