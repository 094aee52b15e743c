"""The Python SDK as the server of the shapes: `stdio`, or `http` (prints where).

Written on its low-level server, which publishes what it is given. To clients of the older era it
gives what that era has room for, as an author has to: output that is not an object in a member `result`.
"""

import asyncio
import json
import os
import socket
import sys

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

with open(os.environ["INTEROP_SHAPES"], encoding="utf-8") as file:
    SHAPES = {shape["tool"]["name"]: shape for shape in json.load(file)}


def wraps(context, shape):
    is_object = shape["tool"].get("outputSchema", {"type": "object"}).get("type") == "object"
    return context.protocol_version < "2026-07-28" and not is_object


def listed(context, shape):
    tool = shape["tool"]
    if wraps(context, shape):
        # An embedded resource, so that its references to the root keep their meaning.
        output = {"$id": f"urn:{tool['name']}", **tool["outputSchema"]}
        output = {"type": "object", "properties": {"result": output}, "required": ["result"]}
        tool = {**tool, "outputSchema": output}
    return types.Tool(**tool)


async def list_tools(context, params):
    return types.ListToolsResult(tools=[listed(context, shape) for shape in SHAPES.values()])


async def call_tool(context, params):
    shape = SHAPES[params.name]
    answer = dict(shape["answer"])
    answer.pop("resultType")
    if wraps(context, shape):
        answer["structuredContent"] = {"result": answer["structuredContent"]}
    return types.CallToolResult(**answer)


server = Server("shapes", on_list_tools=list_tools, on_call_tool=call_tool)


async def stdio():
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def http():
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(server.streamable_http_app(), log_level="warning")
    uvicorn.Server(config).run(sockets=[listener])


if sys.argv[1] == "http":
    http()
else:
    asyncio.run(stdio())
