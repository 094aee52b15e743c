"""What the Python SDK and FastMCP do, by the names of `interop/sentences.json`: prints one JSON object."""

import asyncio
import datetime
import json
import logging

import fastmcp
import mcp
from mcp.server import MCPServer
from mcp.server.lowlevel import Server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

logging.disable()


def numbers() -> list[int]:
    return [1]


def when() -> datetime.datetime:
    return datetime.datetime(2026, 1, 1)


def total(values: list[int], more: int = 5) -> int:
    return sum(values) + more


async def of_fastmcp():
    server = fastmcp.FastMCP("server")
    for function in (numbers, when, total):
        server.tool(function)
    for version in ("1", "2"):
        server.tool(lambda: version, name="versioned", version=version)
    async with fastmcp.Client(server) as client:
        schemas = {tool.name: tool.output_schema for tool in await client.list_tools()}
        with_text = await client.call_tool_mcp("total", {"values": "[1, 2]"})
        return {
            "fastmcp: a list": [schemas["numbers"], (await client.call_tool_mcp("numbers", {})).structured_content],
            "fastmcp: a datetime": [
                schemas["when"]["properties"]["result"],
                (await client.call_tool_mcp("when", {})).structured_content,
            ],
            "fastmcp: a default": (await client.call_tool_mcp("total", {"values": [1]})).structured_content,
            "fastmcp: a list as a string": with_text.is_error,
            "fastmcp: two versions of a tool": [
                tool.meta["fastmcp"]["version"] for tool in await client.list_tools() if tool.name == "versioned"
            ],
        }


async def of_the_sdk():
    server = MCPServer("server")
    server.tool()(total)
    async with mcp.Client(server) as client:
        return {
            "python: a list as a string": (await client.call_tool("total", {"values": "[1, 2]"})).structured_content,
        }


async def refused(result):
    """The error of the client for a result of a tool with an output schema."""

    async def listed(context, params):
        object_with_n = {"type": "object", "properties": {"n": {"type": "number"}}}
        return ListToolsResult(tools=[Tool(name="t", input_schema={"type": "object"}, output_schema=object_with_n)])

    async def called(context, params):
        return result

    async with mcp.Client(Server("server", on_list_tools=listed, on_call_tool=called)) as client:
        try:
            await client.call_tool("t", {})
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"


def parsed(text):
    result = CallToolResult.model_validate_json(text)
    return [result.structured_content, "structured_content" in result.model_fields_set]


print(
    json.dumps(
        {
            **asyncio.run(of_fastmcp()),
            **asyncio.run(of_the_sdk()),
            "python: only text": asyncio.run(refused(CallToolResult(content=[TextContent(text="x")]))),
            "python: a wrong result": asyncio.run(refused(CallToolResult(content=[], structured_content={"n": "x"}))),
            "python: no structured content": parsed('{"content": []}'),
            "python: null": parsed('{"content": [], "structuredContent": null}'),
        }
    )
)
