"""The checked client session against a server that answers with any text."""

import json
from contextlib import asynccontextmanager

import pytest

import toolsure
from toolsure import ContractError, UndecidedError

mcp = pytest.importorskip("mcp", reason="the official SDK is not installed")

import anyio  # noqa: E402
from mcp.shared.memory import create_client_server_memory_streams  # noqa: E402
from mcp.shared.message import SessionMessage  # noqa: E402
import mcp_types as types  # noqa: E402

from toolsure.mcp import ClientSession  # noqa: E402

HELLO = '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"0"}}'


@asynccontextmanager
async def connected(answer, version="2025-11-25", **options):
    """A session, the methods of its requests, and a way to notify it.

    `answer` returns the JSON text of each result, or `None` for an error.
    """
    seen = []

    async def serve(read, write):
        async for message in read:
            request = message.message
            if not isinstance(request, types.JSONRPCRequest):
                continue
            seen.append(request.method)
            result = HELLO if request.method == "initialize" else answer(request.method, request.params or {})
            if isinstance(result, tuple):
                # A notification that arrives before the result.
                told, result = result
                text = json.dumps({"jsonrpc": "2.0", "method": told})
                await write.send(SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False)))
                await anyio.sleep(0.05)
            body = '"error":{"code":-32601,"message":"no"}' if result is None else f'"result":{result}'
            text = f'{{"jsonrpc":"2.0","id":{json.dumps(request.id)},{body}}}'
            await write.send(SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False)))

    async with create_client_server_memory_streams() as ((read, write), (server_read, server_write)):
        async with anyio.create_task_group() as group:
            group.start_soon(serve, server_read, server_write)
            kind = ClientSession.with_options(**options) if options else ClientSession

            async def notify(method):
                text = json.dumps({"jsonrpc": "2.0", "method": method})
                await server_write.send(SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False)))
                await anyio.sleep(0.05)

            async with kind(read, write) as session:
                if version == "2025-11-25":
                    await session.initialize()
                else:
                    session.adopt(
                        types.DiscoverResult(
                            supported_versions=[version],
                            capabilities=types.ServerCapabilities(),
                            result_type="complete",
                            ttl_ms=0,
                            cache_scope="public",
                        )
                    )
                seen.clear()
                yield session, seen, notify
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

    async with connected(answer) as (session, _, _notify):
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

    async with connected(answer) as (session, seen, _notify):
        await session.call_tool("good")
        with pytest.raises(ContractError, match="/outputSchema/properties/a/enum/0") as refused:
            await session.call_tool("bad")
        assert refused.value.code == "tool-json"
        assert seen == ["tools/list", "tools/call"]


@pytest.mark.parametrize("cursors", ["A", "AB", "ABCDE"])
async def test_a_list_that_goes_in_circles_ends(cursors):
    count = 0

    def answer(method, params):
        nonlocal count
        count += 1
        return page(tool(f"t{count}"), then=cursors[count % len(cursors)])

    async with connected(answer) as (session, seen, _notify):
        with pytest.raises(ContractError, match="a cursor comes again") as refused:
            await session.call_tool("none")
        assert refused.value.code == "tool-list-unread"
        assert len(seen) == len(cursors) + 1


async def test_a_list_without_end_ends():
    def answer(method, params):
        at = int(params.get("cursor", 0))
        return page(tool(f"t{at}"), then=str(at + 1)) if method == "tools/list" else '{"content":[]}'

    async with connected(answer) as (session, seen, _notify):
        # The last page that is read.
        await session.call_tool("t199")
        assert len(seen) == 201
        with pytest.raises(ContractError, match="more than 200 pages") as refused:
            await session.call_tool("t200")
        assert refused.value.code == "tool-list-unread"
        # It is read again after five seconds, not for each call.
        assert len(seen) == 201
        await session.call_tool("t7")
        assert len(seen) == 202


async def test_a_tool_that_is_no_longer_listed_is_not_called():
    pages = {None: page(tool("a"), tool("b"), then="2"), "2": page(tool("gone"), then="3"), "3": page(tool("c"))}

    def answer(method, params):
        return pages[params.get("cursor")] if method == "tools/list" else '{"content":[]}'

    async def list_all(session):
        for cursor in (None, "2", "3"):
            await session.list_tools(params=cursor and types.PaginatedRequestParams(cursor=cursor))

    async with connected(answer) as (session, seen, _notify):
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

    async with connected(answer) as (session, _, _notify):
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


async def test_the_tools_are_read_again_when_they_have_changed():
    schema, ttl = '{"type":"object"}', ""

    def answer(method, params):
        if method == "tools/list":
            return f'{{"tools":[{{"name":"t","inputSchema":{schema}}}]{ttl}}}'
        return '{"content":[]}'

    async with connected(answer) as (session, seen, notify):
        await session.call_tool("t", {"a": 1})
        schema = '{"type":"object","required":["b"]}'
        # Nothing says that it changed.
        await session.call_tool("t", {"a": 1})
        assert seen == ["tools/list", "tools/call", "tools/call"]
        await notify("notifications/tools/list_changed")
        with pytest.raises(ContractError, match="missing property `b`"):
            await session.call_tool("t", {"a": 1})
        # And what the old contract refuses is not refused.
        schema = '{"type":"object"}'
        await notify("notifications/tools/list_changed")
        await session.call_tool("t", {"a": 1})
        assert seen.count("tools/list") == 3


async def test_the_tools_are_read_again_before_a_call_is_refused():
    names, schema = ["t"], '{"type":"object","required":["b"]}'

    def answer(method, params):
        if method == "tools/list":
            return json.dumps({"tools": [{"name": name, "inputSchema": json.loads(schema)} for name in names]})
        return '{"content":[]}'

    async with connected(answer) as (session, seen, _):
        await session.call_tool("t", {"b": 1})
        # Nothing says that it changed, or that there is another.
        schema = '{"type":"object"}'
        await session.call_tool("t", {})
        names.append("u")
        await session.call_tool("u", {})
        assert seen == ["tools/list", "tools/call"] * 3
        with pytest.raises(ContractError, match="does not list a tool `v`"):
            await session.call_tool("v", {})
        assert seen[6:] == ["tools/list"]


async def test_what_is_checked_is_what_is_sent():
    sent = []

    def answer(method, params):
        if method == "tools/list":
            return page('{"name":"t","inputSchema":{"type":"object","properties":{"y":{"type":"array","minItems":2}}}}')
        sent.append(params["arguments"])
        return '{"content":[]}'

    async with connected(answer) as (session, _, _):
        await session.call_tool("t", {"y": (i for i in range(3))})
    assert sent == [{"y": [0, 1, 2]}]


async def test_a_tool_over_a_limit_is_only_its_own_fault():
    big = '{"type":"object","properties":{"a":{"enum":[' + ",".join(map(str, range(3000))) + "]}}}"

    def answer(method, params):
        if method == "tools/list":
            return page(tool("ok"), f'{{"name":"big","inputSchema":{big}}}')
        return '{"content":[]}'

    async with connected(answer, limits={"schema_nodes": 1000}) as (session, _, _):
        await session.call_tool("ok")
        with pytest.raises(ContractError):
            await session.call_tool("big", {"a": 1})


async def test_the_tools_are_read_again_after_their_time(monkeypatch):
    now = 100.0
    monkeypatch.setattr("toolsure._session.monotonic", lambda: now)
    schema = '{"type":"object"}'

    def answer(method, params):
        if method == "tools/list":
            return f'{{"tools":[{{"name":"t","inputSchema":{schema}}}],"ttlMs":1000,"cacheScope":"private","resultType":"complete"}}'
        return '{"content":[],"resultType":"complete"}'

    async with connected(answer, "2026-07-28") as (session, seen, _):
        await session.call_tool("t")
        schema = '{"type":"object","required":["b"]}'
        now += 0.999
        await session.call_tool("t")
        now += 0.001
        with pytest.raises(ContractError):
            await session.call_tool("t")
        assert seen.count("tools/list") == 2


async def test_a_result_may_show_that_a_tool_changed():
    schema = '{"type":"object","properties":{"a":{"type":"integer"}}}'
    value = "1"

    def answer(method, params):
        if method == "tools/list":
            return page(tool("t", schema))
        return f'{{"content":[],"structuredContent":{{"a":{value}}}}}'

    async with connected(answer) as (session, seen, _):
        await session.call_tool("t")
        schema, value = schema.replace("integer", "string"), '"x"'
        await session.call_tool("t")
        value = "null"
        with pytest.raises(ContractError) as refused:
            await session.call_tool("t")
        assert refused.value.code == "result-invalid"


async def test_a_change_while_the_list_is_on_its_way():
    lists = [page(tool("t")), ("notifications/tools/list_changed", page(tool("t")))]

    def answer(method, params):
        if method == "tools/list":
            return lists.pop() if lists else page()
        return '{"content":[]}'

    async with connected(answer) as (session, seen, _notify):
        await session.list_tools()
        # That list is of before the change, so it is read again.
        await session.call_tool("t")
        await session.call_tool("t")
        assert seen == ["tools/list", "tools/list", "tools/call", "tools/call"]


def test_the_catalog_keeps_the_time_of_requests():
    catalog = toolsure._toolsure.Catalog("2025-11-25")
    asked = catalog.ask()
    catalog.changed()
    assert catalog.page(page(tool("a")), None, asked, 0.0) is None
    assert not catalog.is_fresh(0.0)
    asked = catalog.ask()
    assert catalog.page(page(tool("a"), then="2"), None, asked, 0.0) == "2"
    # A list takes effect with its last page.
    assert catalog.names() == ["a"]
    assert catalog.page(page(tool("b")), "2", asked, 0.0) is None
    assert catalog.names() == ["a", "b"]
    assert catalog.is_fresh(0.0)
    assert not catalog.is_vouched_for(0.0)
    for wrong in ("{", "[]", '{"tools":1}'):
        with pytest.raises(ValueError):
            catalog.page(wrong, None, asked, 0.0)
    with pytest.raises(ValueError):
        catalog.is_fresh(-1.0)


async def test_many_calls_read_the_list_once():
    def answer(method, params):
        return page(tool("t")) if method == "tools/list" else '{"content":[]}'

    async with connected(answer) as (session, seen, _):
        async with anyio.create_task_group() as group:
            for _ in range(10):
                group.start_soon(session.call_tool, "t")
        assert seen.count("tools/list") == 1
        assert seen.count("tools/call") == 10


async def test_a_server_without_a_list():
    def answer(method, params):
        return None if method == "tools/list" else '{"content":[]}'

    async with connected(answer) as (session, seen, _):
        for _ in range(3):
            with pytest.raises(ContractError, match="the server answered with an error") as refused:
                await session.call_tool("t")
        assert refused.value.code == "tool-list-unread"
        assert seen == ["tools/list"]
    async with connected(answer, record_only=True) as (session, seen, _):
        await session.call_tool("t")
        assert seen == ["tools/list", "tools/call"]


INPUT = '{"type":"object","properties":{"on":{"type":"string","format":"date"},"n":{"type":"integer"}},"required":["on"]}'


@pytest.mark.parametrize(
    ("options", "arguments", "ends"),
    [
        ({}, {"on": "x"}, None),
        ({"formats": True}, {"on": "x"}, ContractError),
        ({"formats": True}, {"on": "2026-11-29"}, None),
        ({}, {"n": 1}, ContractError),
        ({"results_only": True}, {"n": 1}, None),
        ({"record_only": True}, {"n": 1}, None),
        ({}, {"on": "x", "n": "5"}, ContractError),
        ({"repair": True}, {"on": "x", "n": "5"}, None),
        ({"repair": True}, {"on": "x", "n": "five"}, ContractError),
        ({"limits": {"fuel": 1}}, {"on": "x"}, UndecidedError),
        ({"limits": {"fuel": 1}, "on_undecided": "pass"}, {"on": "x"}, None),
        ({"limits": {"fuel": 1}, "record_only": True}, {"on": "x"}, None),
    ],
)
async def test_options(options, arguments, ends, caplog):
    sent = []

    def answer(method, params):
        if method == "tools/list":
            return f'{{"tools":[{{"name":"t","inputSchema":{INPUT}}}]}}'
        sent.append(params["arguments"])
        return '{"content":[]}'

    async with connected(answer, **options) as (session, _, _notify):
        if ends is None:
            await session.call_tool("t", arguments)
            repaired = options.get("repair", False)
            assert sent == [arguments | {"n": 5} if repaired else arguments]
            logged = repaired or (options.get("record_only") or options.get("on_undecided"))
            assert bool(caplog.records) == bool(logged)
        else:
            with pytest.raises(ends):
                await session.call_tool("t", arguments)
            assert sent == []
            # What users of the SDK catch.
            assert issubclass(ends, RuntimeError)
            assert "Refused" in caplog.text


async def test_what_the_sdk_writes_is_checked():
    import datetime
    import decimal

    import pydantic

    class Place(pydantic.BaseModel):
        street: str
        number: int

    schema = (
        '{"type":"object","properties":{"on":{"type":"string","format":"date-time"},"amount":{"type":"string"},'
        '"at":{"type":"object","required":["street","number"],"properties":{"number":{"maximum":9}}}}}'
    )
    sent = []

    def answer(method, params):
        if method == "tools/list":
            return f'{{"tools":[{{"name":"t","inputSchema":{schema}}}]}}'
        sent.append(params["arguments"])
        return '{"content":[]}'

    arguments = {
        "on": datetime.datetime(2026, 11, 29, tzinfo=datetime.timezone.utc),
        "amount": decimal.Decimal("1.50"),
        "at": Place(street="x", number=9),
    }
    async with connected(answer, formats=True) as (session, _, _notify):
        await session.call_tool("t", arguments)
        assert sent == [{"on": "2026-11-29T00:00:00Z", "amount": "1.50", "at": {"street": "x", "number": 9}}]
        with pytest.raises(ContractError, match="/at/number"):
            await session.call_tool("t", arguments | {"at": Place(street="x", number=10)})
        # It would be sent as `null`.
        with pytest.raises(toolsure.NotJsonError):
            await session.call_tool("t", arguments | {"n": float("inf")})
        with pytest.raises(toolsure.NotJsonError) as refused:
            await session.call_tool("t", arguments | {"n": object()})
        assert refused.value.instance_path == "/on" or refused.value.instance_path == "/n"
        assert len(sent) == 1


def test_wrong_options_are_found_at_once():
    for options, error in (
        ({"on_undecided": "ignore"}, ValueError),
        ({"format": True}, TypeError),
        ({"limits": {"feul": 1}}, ValueError),
    ):
        with pytest.raises(error):
            ClientSession.with_options(**options)
