"""The Python SDK as the client: ERA stdio COMMAND..., or ERA http URL."""

import asyncio
import json
import os
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


async def outcome(client, name, arguments):
    try:
        result = await client.call_tool(name, arguments)
    except Exception as error:  # every kind of refusal is one outcome
        return {"refused": str(error)}
    texts = [block.text for block in result.content if block.type == "text"]
    if result.is_error:
        return {"refused": texts[0] if texts else ""}
    told = {"text": texts[0] if texts else None}
    if "structured_content" in result.model_fields_set:
        told["structured"] = result.structured_content
    return told


async def main():
    era, transport, target, *args = sys.argv[1:]
    with open(os.environ["INTEROP_CASES"], encoding="utf-8") as cases:
        calls = json.load(cases)["calls"]
    if transport == "http":
        server = target
    else:
        server = stdio_client(StdioServerParameters(command=target, args=args))
    mode = era if era == "2026-07-28" else "legacy"
    async with Client(server, mode=mode) as client:
        seen = {"listed": None, "calls": {}}
        try:
            seen["listed"] = [tool.name for tool in (await client.list_tools()).tools]
        except Exception as error:
            seen["list_error"] = str(error)
        for call in calls:
            seen["calls"][call["case"]] = await outcome(client, call["tool"], call["arguments"])
    print(json.dumps(seen))


asyncio.run(main())
