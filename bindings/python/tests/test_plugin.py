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


@pytest.fixture(scope="module", autouse=True)
def imported():
    # pytester forgets what a test imports, and parts of FastMCP cannot be imported twice.
    try:
        import fastmcp
    except ImportError:
        return
    fastmcp.FastMCP("once")


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


FASTMCP = """
import fastmcp
from fastmcp.tools.base import ToolResult

server = fastmcp.FastMCP("s", strict_input_validation=True)
made = []

@server.tool(annotations={"readOnlyHint": True}, output_schema={"type": "object", "required": ["count"], "properties": {"count": {"type": "integer"}}})
def count(word: str, times: int = 1) -> ToolResult:
    "Counts"
    made.append(("count", word))
    return ToolResult(structured_content={"count": COUNT})

@server.tool
def write(text: str) -> str:
    "Writes"
    made.append(("write", text))
    return text
"""


def test_calls_of_fastmcp(run):
    pytest.importorskip("fastmcp", reason="FastMCP is not installed")
    code = FASTMCP.replace("COUNT", "len(word) * times") + "test_tools = contracts(server, calls=20)\n"
    result = run(f"{code}\ndef test_made():\n    assert 2 < len(made) < 20\n    assert {{name for name, _ in made}} == {{'count'}}\n")
    result.assert_outcomes(passed=3)
    code = FASTMCP.replace("COUNT", "'three'") + "test_tools = contracts(lambda: server, calls=20, writes=True, values={'word': 'cats'})\n"
    result = run(f"{code}\ndef test_made():\n    assert {{word for name, word in made if name == 'count'}} == {{'cats'}}\n    assert 'write' in dict(made)\n")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*tool `count` breaks its contract:*", '*error result-schema: *(at */count)*', '*arguments: {*"word":"cats"*'])
    # The same fault of other calls is left out. With `CI` set, pytest repeats the whole message in its summary.
    report, _ = result.stdout.str().split("short test summary info")
    assert report.count("error result-schema") == 1


SDK = """
import mcp_types as types
from mcp.server.lowlevel import Server

made = []

async def list_tools(context, params):
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"], "additionalProperties": False}
    output = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
    tool = types.Tool(name="same", description="x", input_schema=schema, output_schema=output, annotations=types.ToolAnnotations(read_only_hint=True))
    return types.ListToolsResult(tools=[tool])

async def call_tool(context, params):
    n = params.arguments.get("n")
    made.append(n)
    if type(n) is not int or n < 1 or len(params.arguments) > 1:
        FAULT
    value = {"n": VALUE}
    return types.CallToolResult(content=[types.TextContent(type="text", text=str(value))], structured_content=value)

server = Server("low", on_list_tools=list_tools, on_call_tool=call_tool)
test_tools = contracts(server, calls=30)

def test_made():
    assert 2 < len(made) <= 30
"""
REFUSES = 'return types.CallToolResult(content=[types.TextContent(type="text", text="invalid arguments: n")], is_error=True)'


@pytest.mark.parametrize(
    ("fault", "value", "lines"),
    [
        (REFUSES, "n", []),
        (REFUSES, "str(n)", ["*error result-schema: *(at */n)*", '*arguments: {"n":1}*']),
        (REFUSES, "n, 'm': chr(0xD800)", ["*error result-shape: the answer is not JSON: *surrogates*", "*arguments: *"]),
        ("pass", "5", ["*error accepts-invalid: *", "*arguments: {*"]),
        ("raise KeyError('boom')", "5", ["*error internal-error: *", "*arguments: {*"]),
    ],
)
def test_calls_of_the_sdk(run, fault, value, lines):
    pytest.importorskip("mcp", reason="the SDK is not installed")
    result = run(SDK.replace("FAULT", fault).replace("VALUE", value))
    result.assert_outcomes(passed=2 - bool(lines), failed=bool(lines))
    result.stdout.fnmatch_lines(lines)


def test_a_call_without_an_answer(run, monkeypatch):
    pytest.importorskip("mcp", reason="the SDK is not installed")
    monkeypatch.setattr(toolsure.pytest_plugin, "_SECONDS", 0.2)
    waits = "import anyio\n        await anyio.sleep(60)"
    # Each further call may take as long.
    result = run(SDK.replace("FAULT", waits).replace("VALUE", "n").replace("2 < len(made) <= 30", "None not in made and len(made) < 5"))
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*error hang: no answer in time*"])


def test_what_cannot_be_called(run):
    pytest.importorskip("fastmcp", reason="FastMCP is not installed")
    result = run(f"test_tools = contracts({[GOOD]!r}, calls=5)\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*calls needs a server, not a listing*"])
    server = "import fastmcp\nserver = fastmcp.FastMCP('s')\n@server.tool\ndef write(text: str) -> str:\n    'x'\n    raise SystemError(text)\n"
    result = run(f"{server}\ntest_tools = contracts(server, calls=5)\n")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*no tool is called*"])
    for options in ({"calls": 0}, {"writes": True}, {"values": {"a": 1}}, {"calls": 1, "values": {"a": float("nan")}}):
        with pytest.raises(ValueError):
            toolsure.pytest_plugin.contracts([], **options)


def test_arguments_that_python_does_not_carry():
    carried = toolsure.pytest_plugin._arguments
    assert carried('{"a": 0.1, "b": 1e2, "c": "é\\ud83d\\ude00", "d": 12345678901234567890}') == {"a": 0.1, "b": 100.0, "c": "é😀", "d": 12345678901234567890}
    for text in (r'{"a": "\ud800"}', '{"a": 1e400}', '{"a": 0.10000000000000000000001}', '{"a": 1e-400}'):
        assert carried(text) is None
