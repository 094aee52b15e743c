"""A Python client that lists and calls the odd tools of one server after the other.

python client.py PACKAGE VERSION JOBS; client.mjs says what it takes and prints, except "checks".
"""

import asyncio
import contextlib
import json
import re
import sys

PACKAGE, VERSION, JOBS = sys.argv[1:]
WAIT = 4.0
SHORT = 2.5
LONG = 30.0
AT_ONCE = 50
HOLDS = 0.006

if PACKAGE == "fastmcp":
    import fastmcp
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

    class Client(fastmcp.Client):
        """The same methods as those of the SDK's client."""

        async def list_tools(self):
            return Listed(await super().list_tools())

        async def call_tool(self, name, arguments, read_timeout_seconds):
            return await super().call_tool(name, arguments, timeout=read_timeout_seconds, raise_on_error=False)

    class Listed:
        def __init__(self, tools):
            self.tools = tools

    def client(server, mode):
        if isinstance(server, str):
            transport = StreamableHttpTransport(server)
        else:
            transport = StdioTransport(server[0], server[1:], keep_alive=False)
        return Client(transport, mode=mode, timeout=LONG)

else:
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    def client(server, mode):
        if not isinstance(server, str):
            server = stdio_client(StdioServerParameters(command=server[0], args=server[1:]))
        return Client(server, mode=mode, read_timeout_seconds=LONG)


@contextlib.asynccontextmanager
async def served(job):
    """The command of a server, or the URL of a guard that listens."""
    if not job.get("http"):
        yield job["command"]
        return
    guard = await asyncio.create_subprocess_exec(
        *job["command"], stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    try:
        async for text in guard.stderr:
            if url := re.search(r'http://127[^\s"]*', text.decode()):
                # Its log would fill the pipe.
                rest = asyncio.create_task(guard.stderr.read())
                yield url.group()
                rest.cancel()
                return
        raise RuntimeError("the guard does not listen")
    finally:
        guard.terminate()
        await guard.wait()


async def call(client, name, arguments, *expected):
    try:
        result = await client.call_tool(name, arguments, read_timeout_seconds=WAIT)
    except Exception as error:  # every kind of refusal is one outcome
        return ["error", str(error)[:300]]
    if result.is_error:
        return ["error", (str(result.content[0]) if result.content else "isError")[:300]]
    if not expected:
        return ["works"]
    if "structured_content" not in getattr(result, "model_fields_set", ["structured_content"]):
        return ["text-only"]
    seen = result.structured_content
    if seen == expected[0] or seen == {"result": expected[0]}:
        return ["works"]
    return ["other-value", json.dumps(seen)[:300]]


async def hear(client, name, arguments, words):
    """Whether the words of a result arrive. Elsewhere than in a text block, they are another value."""
    try:
        content = (await client.call_tool(name, arguments, read_timeout_seconds=WAIT)).content or []
    except Exception as error:
        return failure(error, "error")
    if any(block.type == "text" and words in block.text for block in content):
        return ["works"]
    everything = json.dumps([block.model_dump(mode="json") for block in content])
    return ["other-value"] if words in everything else ["text-only", everything[:300]]


async def relist(client):
    # A page may say that it holds for some milliseconds.
    await asyncio.sleep(HOLDS)
    try:
        names = [tool.name for tool in (await asyncio.wait_for(client.list_tools(), SHORT)).tools]
    except Exception as error:
        return failure(error, "no-tools")
    odd = [name for name in names if name not in ("add", "greet")]
    if len(names) - len(odd) != 2:
        return ["good-tools-fail"]
    return ["works", ",".join(odd)] if odd else ["hidden"]


def failure(error, word):
    is_late = isinstance(error, TimeoutError) or re.search("timed? ?out", str(error), re.IGNORECASE)
    return ["hangs" if is_late else word, str(error)[:300]]


async def many(calls, act):
    """As many at once as a server may take, in the order of the calls."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(call):
        async with turns:
            return await act(call)

    return await asyncio.gather(*map(one, calls))


async def is_good(client):
    add = await call(client, "add", {"a": 1, "b": 2}, {"sum": 3})
    greet = await call(client, "greet", {"name": "Ada"})
    return add == ["works"] and greet == ["works"]


async def look(job):
    seen = {"case": job["case"]}
    mode = VERSION if VERSION == "2026-07-28" else "legacy"
    try:
        async with served(job) as server, client(server, mode) as peer:
            try:
                if "lists" in job:
                    seen["calls"] = [await relist(peer) for _ in range(job["lists"])]
                    seen["good"] = True
                    return seen
                listed = [tool.name for tool in (await peer.list_tools()).tools]
                seen["calls"] = []
                if "words" in job:

                    async def act(one):
                        name, given = one
                        return await hear(peer, name, given, job["words"]) if name in listed else ["hidden"]

                    seen["calls"] = await many(job["calls"], act)
                else:
                    for name, *call_and_result in job["calls"]:
                        outcome = await call(peer, name, *call_and_result) if name in listed else ["hidden"]
                        seen["calls"].append(outcome)
                        if job.get("each"):
                            line({"call": outcome})
                seen["good"] = "add" in listed and "greet" in listed and await is_good(peer)
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
