"""The checked client session of the official SDK, and the middleware for FastMCP, against servers in this process."""

import pytest

from toolsure import ContractError

mcp = pytest.importorskip("mcp", reason="the official SDK is not installed")

from mcp.client._memory import InMemoryTransport  # noqa: E402
from mcp.server.lowlevel import Server  # noqa: E402
import mcp_types as types  # noqa: E402

from toolsure.mcp import ClientSession  # noqa: E402

TOOLS = [
    types.Tool(
        name="count",
        input_schema={"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
        output_schema={"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]},
    ),
    types.Tool(name="broken", input_schema={"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}}),
    types.Tool(name="plain", input_schema={"type": "object"}),
]

seen = []


async def list_tools(context, params):
    return types.ListToolsResult(tools=TOOLS)


async def call_tool(context, params):
    seen.append(params.name)
    if params.name == "plain":
        return types.CallToolResult(content=[types.TextContent(text="hello")])
    count = "many" if params.arguments["word"] == "lie" else 3
    if params.arguments["word"] == "forget":
        return types.CallToolResult(content=[types.TextContent(text="3")])
    if params.arguments["word"] == "fail":
        return types.CallToolResult(content=[types.TextContent(text="no")], is_error=True)
    return types.CallToolResult(content=[types.TextContent(text="3")], structured_content={"count": count})


async def test_session():
    server = Server("counter", on_list_tools=list_tools, on_call_tool=call_tool)
    async with InMemoryTransport(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        seen.clear()
        result = await session.call_tool("count", {"word": "x"})
        assert result.structured_content == {"count": 3}
        assert (await session.call_tool("plain")).content[0].text == "hello"
        assert (await session.call_tool("count", {"word": "fail"})).is_error
        assert seen == ["count", "plain", "count"]
        # What breaks the contract is not sent.
        with pytest.raises(ContractError) as refused:
            await session.call_tool("count", {"word": 1})
        assert refused.value.code == "arguments-invalid"
        assert refused.value.errors[0].instance_path == "/word"
        with pytest.raises(ContractError) as refused:
            await session.call_tool("broken", {})
        assert (refused.value.code, refused.value.schema_path) == ("unresolved-ref", "/inputSchema/properties/a/$ref")
        with pytest.raises(ContractError) as refused:
            await session.call_tool("none")
        assert refused.value.code == "tool-unknown"
        assert seen == ["count", "plain", "count"]
        # What breaks it on the way back is not returned.
        for word, code in (("lie", "result-invalid"), ("forget", "result-missing")):
            with pytest.raises(ContractError) as refused:
                await session.call_tool("count", {"word": word})
            assert refused.value.code == code


async def test_middleware():
    fastmcp = pytest.importorskip("fastmcp", reason="FastMCP is not installed")
    from fastmcp.exceptions import ToolError
    from fastmcp.tools.base import Tool, ToolResult

    from toolsure.mcp import ContractMiddleware

    ran = []

    class Count(Tool):
        async def run(self, arguments):
            ran.append(arguments)
            count = "many" if arguments["word"] == "lie" else 3
            return ToolResult(content="3", structured_content={"count": count})

    server = fastmcp.FastMCP("counter")
    server.add_middleware(ContractMiddleware())
    server.add_tool(
        Count(
            name="count",
            parameters={"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
            output_schema={"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]},
        )
    )
    async with fastmcp.Client(server) as client:
        assert (await client.call_tool("count", {"word": "x"})).structured_content == {"count": 3}
        with pytest.raises(ToolError, match="expected string"):
            await client.call_tool("count", {"word": 1})
        assert len(ran) == 1
        with pytest.raises(ToolError, match="count"):
            await client.call_tool("count", {"word": "lie"})
        assert len(ran) == 2


async def test_the_sdks_client():
    from toolsure.mcp import Client

    server = Server("counter", on_list_tools=list_tools, on_call_tool=call_tool)
    notified = []

    async def handler(message):
        notified.append(message)

    for mode in ("auto", "legacy"):
        async with Client(server, mode=mode, message_handler=handler) as client:
            seen.clear()
            assert (await client.call_tool("count", {"word": "x"})).structured_content == {"count": 3}
            with pytest.raises(ContractError):
                await client.call_tool("count", {"word": 1})
            # As users of the SDK catch it.
            with pytest.raises(RuntimeError):
                await client.call_tool("count", {"word": "lie"})
            assert seen == ["count", "count"]
    async with Client(server, checks={"results_only": True}) as client:
        with pytest.raises(ContractError) as refused:
            await client.call_tool("count", {"word": "lie", "other": 1})
        assert refused.value.code == "result-invalid"
    with pytest.raises(TypeError):
        Client(server, checks={"format": True})


def fastmcp_server(*middleware, **kinds):
    fastmcp = pytest.importorskip("fastmcp", reason="FastMCP is not installed")
    from fastmcp.tools.base import Tool, ToolResult

    ran = []

    class Count(Tool):
        async def run(self, arguments):
            ran.append((self.version, arguments))
            count = "many" if arguments.get("word") == "lie" else 3
            return ToolResult(content="3", structured_content={"count": count})

    def count(version=None, **properties):
        return Count(
            name="count",
            version=version,
            parameters={"type": "object", "properties": {"word": {"type": "string"}} | properties, "required": ["word"]},
            output_schema={"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]},
        )

    server = fastmcp.FastMCP("counter")
    for one in middleware:
        server.add_middleware(one)
    return fastmcp, server, ran, count


async def test_versions_of_a_tool():
    from fastmcp.exceptions import ToolError

    from toolsure.mcp import ContractMiddleware

    fastmcp, server, ran, count = fastmcp_server(ContractMiddleware())
    server.add_tool(count("1.0", n={"type": "integer"}))
    server.add_tool(count("2.0", n={"type": "string"}))
    async with fastmcp.Client(server) as client:
        for version, good, bad in (("1.0", 5, "5"), ("2.0", "5", 5), (None, "5", 5)):
            ran.clear()
            await client.call_tool("count", {"word": "x", "n": good}, version=version)
            with pytest.raises(ToolError, match="/n"):
                await client.call_tool("count", {"word": "x", "n": bad}, version=version)
            assert ran == [(version or "2.0", {"word": "x", "n": good})]


@pytest.mark.parametrize(
    ("options", "arguments", "passes"),
    [
        ({}, {"word": "x", "n": "5"}, False),
        ({"results_only": True}, {"word": "x", "n": "5"}, True),
        ({"results_only": True}, {"word": "lie", "n": 5}, False),
        ({"record_only": True}, {"word": "x", "n": "5"}, True),
        ({"repair": True}, {"word": "x", "n": "5"}, True),
        ({"limits": {"fuel": 1}}, {"word": "x", "n": 5}, False),
        ({"limits": {"fuel": 1}, "on_undecided": "pass"}, {"word": "x", "n": 5}, True),
    ],
)
async def test_options_of_the_middleware(options, arguments, passes, caplog):
    import logging

    from toolsure.mcp import ContractMiddleware

    fastmcp, server, ran, count = fastmcp_server(ContractMiddleware(**options))
    from fastmcp.exceptions import ToolError

    server.add_tool(count(n={"type": "integer"}))
    logger = logging.getLogger("fastmcp.toolsure")
    logger.addHandler(caplog.handler)
    try:
        async with fastmcp.Client(server) as client:
            if passes:
                await client.call_tool("count", arguments)
                expected = 5 if options.get("repair") else arguments["n"]
                assert ran == [(None, arguments | {"n": expected})]
                assert ("Repaired" in caplog.text) == bool(options.get("repair"))
            else:
                with pytest.raises(ToolError):
                    await client.call_tool("count", arguments)
                assert "Refused" in caplog.text
    finally:
        logger.removeHandler(caplog.handler)


async def test_one_tool():
    fastmcp, server, ran, count = fastmcp_server()
    from fastmcp.exceptions import ToolError

    from toolsure.mcp import checked_tool

    server.add_tool(checked_tool(count()))

    def shout(word: str) -> str:
        """Says it loudly."""
        return word.upper()

    server.add_tool(checked_tool(shout))
    async with fastmcp.Client(server) as client:
        assert {tool.name for tool in await client.list_tools()} == {"count", "shout"}
        assert (await client.call_tool("count", {"word": "x"})).structured_content == {"count": 3}
        assert (await client.call_tool("shout", {"word": "x"})).data == "X"
        for name, arguments in (("count", {"word": 1}), ("count", {"word": "lie"}), ("shout", {"word": 1})):
            with pytest.raises(ToolError, match="word|count"):
                await client.call_tool(name, arguments)
        assert len(ran) == 2


async def test_fastmcps_client():
    fastmcp, server, ran, count = fastmcp_server()
    from toolsure.mcp import CheckedTransport

    server.add_tool(count())
    async with fastmcp.Client(CheckedTransport(server)) as client:
        assert (await client.call_tool("count", {"word": "x"})).structured_content == {"count": 3}
        with pytest.raises(ContractError):
            await client.call_tool("count", {"word": 1})
        assert len(ran) == 1
        with pytest.raises(RuntimeError):
            await client.call_tool("count", {"word": "lie"})
    async with fastmcp.Client(CheckedTransport(server, record_only=True)) as client:
        await client.call_tool("count", {"word": "lie"})


def test_objects_of_the_sdk():
    import json

    import toolsure

    contract = toolsure.ToolContract(TOOLS[0])
    assert contract.name == "count"
    assert json.loads(contract.text)["inputSchema"] == TOOLS[0].input_schema
    assert [tool.name for tool in toolsure.check(types.ListToolsResult(tools=TOOLS)).tools] == ["count", "broken", "plain"]
    assert [tool.name for tool in toolsure.check(TOOLS).tools] == ["count", "broken", "plain"]
    text = types.TextContent(text="3")
    assert contract.check_result(types.CallToolResult(content=[text], structured_content={"count": 3})).ok
    assert contract.check_result(types.CallToolResult(content=[text], structured_content={"count": "3"})).code == "result-invalid"
    assert contract.check_result(types.CallToolResult(content=[text])).code == "result-missing"
    # `null` on purpose is there; without it, nothing is.
    maybe = toolsure.ToolContract({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": {"type": ["object", "null"]}})
    assert maybe.check_result(types.CallToolResult(content=[text], structured_content=None)).ok
    assert maybe.check_result(types.CallToolResult(content=[text])).code == "result-missing"
    infinite = types.Tool(name="t", input_schema={"type": "object", "maximum": float("inf")})
    with pytest.raises(toolsure.ContractError) as refused:
        toolsure.ToolContract(infinite)
    assert (refused.value.code, refused.value.schema_path) == ("tool-json", "/inputSchema/maximum")


async def test_a_transport_of_another_kind_is_refused():
    fastmcp, server, ran, count = fastmcp_server()
    from fastmcp.client.transports import FastMCPTransport

    from toolsure.mcp import CheckedTransport

    class Own(FastMCPTransport):
        def connect_session(self, *, transport_options=None, **session_kwargs):
            return super().connect_session(**session_kwargs)

    with pytest.raises(RuntimeError, match="makes sessions of its own class"):
        async with fastmcp.Client(CheckedTransport(Own(server))):
            pass
