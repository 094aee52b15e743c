"""The Python SDK client before one odd tool after the other: python matrix_client.py ERA JOBS; as matrix_client.mjs."""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

ERA, JOBS = sys.argv[1:]
WAIT = 4.0


async def call(client, name, arguments):
    try:
        result = await client.call_tool(name, arguments, read_timeout_seconds=WAIT)
    except Exception as error:  # every kind of refusal is one outcome
        return {"error": str(error)[:300]}
    if result.is_error:
        return {"error": (str(result.content[0]) if result.content else "isError")[:300]}
    data = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return {"content": data.get("content"), "structured": data.get("structuredContent")}


async def look(job):
    seen = {"case": job["case"]}
    command, *arguments = job["command"]
    server = stdio_client(StdioServerParameters(command=command, args=arguments))
    try:
        async with asyncio.timeout(20), Client(server, mode=ERA if ERA == "2026-07-28" else "legacy", read_timeout_seconds=WAIT) as client:
            try:
                seen["tools"] = [tool.name for tool in (await client.list_tools()).tools]
                seen["odd"] = {}
                for name, given in job["calls"]:
                    listed = name in seen["tools"]
                    seen["odd"][name] = await call(client, name, given) if listed else None
                    if job.get("each"):
                        print(json.dumps({"case": job["case"], "at": name, "odd": seen["odd"][name]}), flush=True)
                seen["good"] = [await call(client, "add", {"a": 1, "b": 2}), await call(client, "greet", {"name": "Ada"})]
            except Exception as error:
                seen["failed"] = str(error)[:400]
    except BaseException as error:
        seen.setdefault("failed", repr(error)[:400])
    return seen


for line in open(JOBS, encoding="utf-8"):
    print(json.dumps(asyncio.run(look(json.loads(line)))), flush=True)
