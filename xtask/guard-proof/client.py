"""A Python SDK client that lists and calls the odd tools of one server after the other.

python client.py VERSION JOBS; client.mjs says what it takes and prints.
"""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

VERSION, JOBS = sys.argv[1:]
WAIT = 4.0


async def call(client, name, arguments, *expected):
    try:
        result = await client.call_tool(name, arguments, read_timeout_seconds=WAIT)
    except Exception as error:  # every kind of refusal is one outcome
        return ["error", str(error)[:300]]
    if result.is_error:
        return ["error", (str(result.content[0]) if result.content else "isError")[:300]]
    if not expected:
        return ["works"]
    if "structured_content" not in result.model_fields_set:
        return ["text-only"]
    seen = result.structured_content
    if seen == expected[0] or seen == {"result": expected[0]}:
        return ["works"]
    return ["other-value", json.dumps(seen)[:300]]


async def is_good(client):
    add = await call(client, "add", {"a": 1, "b": 2}, {"sum": 3})
    greet = await call(client, "greet", {"name": "Ada"})
    return add == ["works"] and greet == ["works"]


async def look(job):
    seen = {"case": job["case"]}
    command, *arguments = job["command"]
    server = stdio_client(StdioServerParameters(command=command, args=arguments))
    mode = VERSION if VERSION == "2026-07-28" else "legacy"
    try:
        async with Client(server, mode=mode, read_timeout_seconds=WAIT) as client:
            try:
                listed = [tool.name for tool in (await client.list_tools()).tools]
                seen["calls"] = []
                for name, *call_and_result in job["calls"]:
                    outcome = await call(client, name, *call_and_result) if name in listed else ["hidden"]
                    seen["calls"].append(outcome)
                    if job.get("each"):
                        line({"call": outcome})
                seen["good"] = "add" in listed and "greet" in listed and await is_good(client)
            except Exception as error:
                seen["failed"] = str(error)[:300]
    except BaseException as error:
        seen.setdefault("failed", repr(error)[:300])
    return seen


def line(value):
    """Halves of surrogate pairs are not JSON to many readers."""
    text = json.dumps(value, ensure_ascii=False)
    print(text.encode("utf-8", "replace").decode(), flush=True)


with open(JOBS, encoding="utf-8") as file:
    for job in file:
        line(asyncio.run(look(json.loads(job))))
