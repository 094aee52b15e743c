"""A server with one tool, for every 1.x version of the Python SDK since 1.1."""

import asyncio

from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.types import TextContent, Tool

server = Server("minor")
schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


@server.list_tools()
async def tools():
    return [Tool(name="echo", description="Repeats the text", inputSchema=schema)]


@server.call_tool()
async def call(name, arguments):
    return [TextContent(type="text", text=arguments["text"])]


async def main():
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


asyncio.run(main())
