"""The checked client session of the official SDK, and the middleware for FastMCP, against servers in this process."""

import pytest

from toolsure import ContractError, SchemaError

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
        with pytest.raises(SchemaError):
            await session.call_tool("broken", {})
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
