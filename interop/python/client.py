"""The Python SDK as the client: ERA stdio COMMAND..., or ERA http URL.

It reports the cases, or of the requests of PUBLISHED_REQUESTS if there are any.
"""

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
    report = {"text": texts[0] if texts else None}
    if "structured_content" in result.model_fields_set:
        report["structured"] = result.structured_content
    return report


ASK = {
    "tools/list": lambda client, _: client.list_tools(),
    "tools/call": lambda client, p: client.call_tool(p["name"], p["arguments"]),
    "resources/list": lambda client, _: client.list_resources(),
    "resources/read": lambda client, p: client.read_resource(p["uri"]),
    "resources/templates/list": lambda client, _: client.list_resource_templates(),
    "prompts/list": lambda client, _: client.list_prompts(),
    "prompts/get": lambda client, p: client.get_prompt(p["name"], p.get("arguments")),
}


async def answers(client, requests):
    report = []
    for request in requests:
        try:
            result = await ASK[request["method"]](client, request.get("params"))
            report.append({"result": result.model_dump(mode="json", by_alias=True, exclude_unset=True)})
        except Exception as error:  # every kind of refusal is one outcome
            report.append({"error": str(error)})
    return report


async def cases(client):
    with open(os.environ["INTEROP_CASES"], encoding="utf-8") as file:
        calls = json.load(file)["calls"]
    seen = {"listed": None, "calls": {}}
    try:
        seen["listed"] = [tool.name for tool in (await client.list_tools()).tools]
    except Exception as error:
        seen["list_error"] = str(error)
    for call in calls:
        seen["calls"][call["case"]] = await outcome(client, call["tool"], call["arguments"])
    return seen


async def main():
    era, transport, target, *args = sys.argv[1:]
    if transport == "http":
        server = target
    else:
        server = stdio_client(StdioServerParameters(command=target, args=args))
    mode = era if era == "2026-07-28" else "legacy"
    requests = os.environ.get("PUBLISHED_REQUESTS")
    async with Client(server, mode=mode) as client:
        report = answers(client, json.loads(requests)) if requests else cases(client)
        print(json.dumps(await report))


asyncio.run(main())
