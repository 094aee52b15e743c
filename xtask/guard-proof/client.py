"""A Python SDK client: lists the tools of a server on standard input and output, calls each, and
prints what it saw as one line of JSON. python3 client.py COMMAND…
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

ARGUMENTS = {"add": {"a": 1, "b": 2}, "greet": {"name": "Ada"}, "odd": {"any": [1]}}


def shown(result):
    data = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    if data.get("isError"):
        return {"error": data["content"]}
    return data.get("structuredContent", data.get("content"))


async def look(seen):
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        try:
            seen["tools"] = [tool.name for tool in (await session.list_tools()).tools]
        except Exception as error:
            seen["failed"] = str(error)[:200]
        for name in seen["tools"]:
            try:
                seen["results"][name] = shown(await session.call_tool(name, ARGUMENTS.get(name, {})))
            except Exception as error:
                seen["results"][name] = {"error": str(error)[:200]}


seen = {"tools": [], "results": {}}
try:
    asyncio.run(look(seen))
except BaseException as error:
    seen.setdefault("failed", repr(error)[:200])
print(json.dumps(seen))
