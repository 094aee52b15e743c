"""The checked client session against a server that answers with any text."""

import json
from contextlib import asynccontextmanager

import pytest

from toolsure import ContractError, NotJsonError

mcp = pytest.importorskip("mcp", reason="the official SDK is not installed")

import anyio  # noqa: E402
from mcp.shared.memory import create_client_server_memory_streams  # noqa: E402
from mcp.shared.message import SessionMessage  # noqa: E402
import mcp_types as types  # noqa: E402

from toolsure.mcp import ClientSession  # noqa: E402

HELLO = '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"0"}}'


@asynccontextmanager
async def connected(answer):
    """A session, and the methods of its requests. `answer` returns the JSON text of each result."""
    seen = []

    async def serve(read, write):
        async for message in read:
            request = message.message
            if not isinstance(request, types.JSONRPCRequest):
                continue
            seen.append(request.method)
            result = HELLO if request.method == "initialize" else answer(request.method, request.params or {})
            text = f'{{"jsonrpc":"2.0","id":{json.dumps(request.id)},"result":{result}}}'
            await write.send(SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False)))

    async with create_client_server_memory_streams() as ((read, write), (server_read, server_write)):
        async with anyio.create_task_group() as group:
            group.start_soon(serve, server_read, server_write)
            async with ClientSession(read, write) as session:
                await session.initialize()
                seen.clear()
                yield session, seen
            group.cancel_scope.cancel()


def tool(name, output=None):
    shown = "" if output is None else f',"outputSchema":{output}'
    return f'{{"name":"{name}","inputSchema":{{"type":"object"}}{shown}}}'


def page(*tools, then=None):
    more = "" if then is None else f',"nextCursor":{json.dumps(then)}'
    return f'{{"tools":[{",".join(tools)}]{more}}}'


async def test_the_value_that_is_returned_is_checked():
    amount = '{"type":"object","properties":{"amount":{"type":["number","null"],"maximum":100}}}'
    value = ""

    def answer(method, params):
        return page(tool("t", amount)) if method == "tools/list" else f'{{"content":[],"structuredContent":{value}}}'

    async with connected(answer) as (session, _):
        for value in ('{"amount":5}', '{"amount":null}', '{"other":[1.5,"x",true]}'):
            assert (await session.call_tool("t")).structured_content == json.loads(value)
        value = '{"amount":101}'
        with pytest.raises(ContractError) as refused:
            await session.call_tool("t")
        assert refused.value.code == "result-invalid"
        # As JSON text these would be `null`, which the schema accepts.
        for number in ("1e400", "-1e400", "NaN", "Infinity"):
            for value in (f'{{"amount":{number}}}', f'{{"other":[{{"deep":{number}}}]}}'):
                with pytest.raises(ContractError, match="tool `t` answered with a value that JSON does not have") as refused:
                    await session.call_tool("t")
                assert refused.value.code == "result-malformed"
                assert "/structuredContent/" in str(refused.value)


async def test_a_schema_with_an_infinite_number_is_refused():
    listed = page(tool("good"), tool("bad", '{"type":"object","properties":{"a":{"enum":[1e400]}}}'))

    def answer(method, params):
        return listed if method == "tools/list" else '{"content":[],"structuredContent":{"a":null}}'

    async with connected(answer) as (session, seen):
        await session.call_tool("good")
        with pytest.raises(NotJsonError, match="/outputSchema/properties/a/enum/0"):
            await session.call_tool("bad")
        assert seen == ["tools/list", "tools/call"]


@pytest.mark.parametrize("cursors", ["A", "AB", "ABCDE"])
async def test_a_list_that_goes_in_circles_ends(cursors):
    count = 0

    def answer(method, params):
        nonlocal count
        count += 1
        return page(tool(f"t{count}"), then=cursors[count % len(cursors)])

    async with connected(answer) as (session, seen):
        with pytest.raises(ContractError, match="a cursor comes again") as refused:
            await session.call_tool("none")
        assert refused.value.code == "tool-list-unread"
        assert len(seen) == len(cursors) + 1


async def test_a_list_without_end_ends():
    def answer(method, params):
        at = int(params.get("cursor", 0))
        return page(tool(f"t{at}"), then=str(at + 1)) if method == "tools/list" else '{"content":[]}'

    async with connected(answer) as (session, seen):
        # The last page that is read.
        await session.call_tool("t199")
        assert len(seen) == 201
        with pytest.raises(ContractError, match="more than 200 pages") as refused:
            await session.call_tool("t200")
        assert refused.value.code == "tool-list-unread"
        assert len(seen) == 401
        await session.call_tool("t7")
        assert len(seen) == 402


async def test_a_tool_that_is_no_longer_listed_is_not_called():
    pages = {None: page(tool("a"), tool("b"), then="2"), "2": page(tool("gone"), then="3"), "3": page(tool("c"))}

    def answer(method, params):
        return pages[params.get("cursor")] if method == "tools/list" else '{"content":[]}'

    async def list_all(session):
        for cursor in (None, "2", "3"):
            await session.list_tools(params=cursor and types.PaginatedRequestParams(cursor=cursor))

    async with connected(answer) as (session, seen):
        await list_all(session)
        for name in ("a", "b", "c", "gone"):
            await session.call_tool(name)
        # From a page in the middle, from the first, and with the rest of the list.
        for changed, gone in (
            ({"2": page(then="3")}, ["gone"]),
            ({None: page(tool("a"), then="2")}, ["b", "gone"]),
            ({None: page(tool("a"))}, ["b", "c", "gone"]),
        ):
            pages |= changed
            await list_all(session)
            for name in gone:
                with pytest.raises(ContractError) as refused:
                    await session.call_tool(name)
                assert refused.value.code == "tool-unknown"
            await session.call_tool("a")
        assert seen.count("tools/call") == 7


async def test_a_changed_schema_is_a_new_contract():
    schema = ""

    def answer(method, params):
        return page(tool("t", schema)) if method == "tools/list" else '{"content":[],"structuredContent":{"a":1}}'

    async with connected(answer) as (session, _):
        for schema, passes in (
            ('{"type":"object","properties":{"a":{"const":1}}}', True),
            ('{"type":"object","properties":{"a":{"const":true}}}', False),
            ('{"type":"object","properties":{"a":{"const":1.0}}}', True),
        ):
            await session.list_tools()
            if passes:
                await session.call_tool("t")
            else:
                with pytest.raises(ContractError):
                    await session.call_tool("t")
