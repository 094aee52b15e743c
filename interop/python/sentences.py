"""What the Python SDK and FastMCP do, by the names of `interop/sentences.json`: prints one JSON object."""

import asyncio
import datetime
import json
import logging

import fastmcp
import mcp
from mcp.server import MCPServer
from mcp_types import CallToolResult

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
        }


async def of_the_sdk():
    server = MCPServer("server")
    server.tool()(total)
    async with mcp.Client(server) as client:
        return {
            "python: a list as a string": (await client.call_tool("total", {"values": "[1, 2]"})).structured_content,
        }


def parsed(text):
    result = CallToolResult.model_validate_json(text)
    return [result.structured_content, "structured_content" in result.model_fields_set]


print(
    json.dumps(
        {
            **asyncio.run(of_fastmcp()),
            **asyncio.run(of_the_sdk()),
            "python: no structured content": parsed('{"content": []}'),
            "python: null": parsed('{"content": [], "structuredContent": null}'),
        }
    )
)
