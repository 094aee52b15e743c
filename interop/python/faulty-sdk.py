"""MCP server over stdio (official `mcp` SDK). Without an argument it is correct;
`server.py FAULT` plants one fault. The faults are listed in interop/faults.json."""
import asyncio
import datetime
import json
import os
import re
import sys
import traceback
from io import TextIOWrapper

import anyio
import jsonschema
from jsonschema import Draft202012Validator, FormatChecker
from mcp import types
from mcp.server.fastmcp.tools import Tool as FastTool
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import McpError

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
TOOLS = {}
CALLS = 0
LOCK = asyncio.Lock()
WAITER = None


def bad(name):
    return FAULT == name


def die(text):
    # sys.exit would wait for the thread that reads standard input
    print(text, file=sys.stderr)
    os._exit(1)


# ---- schemas -------------------------------------------------------------------------

def obj(properties, required=None):
    return {"type": "object", "properties": properties, "additionalProperties": False,
            "required": list(properties) if required is None else required}


def integer(low, high, **more):
    return {"type": "integer", "minimum": low, "maximum": high, **more}


def enum(*values):
    return {"type": "string", "enum": list(values)}


TEXT = {"type": "string"}
AMOUNT = {"type": "number", "minimum": 0}
DATE = {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
STATUS = enum("open", "paid", "shipped", "cancelled")
TAG = enum("work", "home", "idea", "urgent")
CURRENCY = enum("EUR", "USD", "GBP")


def full_pattern(validator, pattern, value, schema):
    # in ECMA regular expressions $ does not match before a last line feed
    if isinstance(value, str) and not re.search(pattern.replace("$", r"\Z"), value):
        yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")


Validator = jsonschema.validators.extend(Draft202012Validator, {"pattern": full_pattern})


def tool(name, about, properties, required, output):
    def keep(function):
        TOOLS[name] = types.Tool(
            name=name, description=about, inputSchema=obj(properties, required), outputSchema=output,
            annotations=types.ToolAnnotations(readOnlyHint=True)), function
        return function
    return keep


# ---- the data ------------------------------------------------------------------------

STATUSES = ["open", "paid", "shipped", "cancelled"]
NAMES = ["Ada Lovelace", "Bo Li", "Çelik Ünal", "Dana Scott", "Eve Moss"]
TAGS = ["work", "home", "idea", "urgent"]


def day(n):
    return (datetime.date(2025, 1, 1) + datetime.timedelta(days=n)).isoformat()


def order(n):
    one = {"id": n, "status": STATUSES[n % 4], "customer": NAMES[n % 5], "placed_on": day(n),
           "lines": [{"sku": f"SKU-{n * 7 % 100:03d}", "quantity": n % 5 + 1, "unit_price": 3.5 + n % 9}],
           "total": (n % 5 + 1) * (3.5 + n % 9)}
    if one["status"] == "shipped":
        one["shipped_on"] = day(n + 3)
    return one


def note(n):
    return {"id": f"note-{n}", "title": f"Note {n}", "body": f"Body of note {n}.",
            "created_at": day(n) + "T09:30:00Z", "tags": [TAGS[n % 4]]}


# ---- the tools -----------------------------------------------------------------------

ORDER = obj({"id": integer(1, 60), "status": STATUS, "customer": TEXT, "placed_on": DATE,
             "lines": {"type": "array", "minItems": 1, "items": obj(
                 {"sku": TEXT, "quantity": integer(1, 99), "unit_price": AMOUNT})},
             "total": AMOUNT, "shipped_on": DATE},
            ["id", "status", "customer", "placed_on", "lines", "total"])


@tool("list_orders", "Lists orders, a page at a time.",
      {"status": STATUS, "customer": {**TEXT, "maxLength": 40, "description": "part of the customer's name"},
       "limit": integer(1, 50, default=10), "offset": integer(0, 1000, default=0)}, [],
      obj({"orders": {"type": "array", "maxItems": 50, "items": ORDER}, "total": {"type": "integer", "minimum": 0},
           "next_offset": integer(1, 1000)}, ["orders", "total"]))
async def list_orders(a):
    limit, offset = a.get("limit", 10), a.get("offset", 0)
    if bad("limit-off-by-one") and limit >= 50:
        return failure("Invalid argument: limit must be less than 50")
    if bad("empty-string-hang") and a.get("customer") == "":
        await anyio.sleep_forever()
    if bad("second-call") and CALLS > 1:
        raise RuntimeError("Cannot operate on a closed database.")
    found = [o for o in map(order, range(1, 61)) if a.get("status") in (None, o["status"])
             and a.get("customer", "").lower() in o["customer"].lower()]
    out = {"orders": found[offset:offset + limit], "total": len(found)}
    if offset + limit < len(found):
        out["next_offset"] = offset + limit
    return out


@tool("get_order", "Gives one order.", {"order_id": integer(1, 60)}, ["order_id"], ORDER)
async def get_order(a):
    out = order(a["order_id"])
    if bad("null-for-absent"):
        out.setdefault("shipped_on", None)
    if bad("string-at-bound") and out["id"] == 60:
        out["total"] = f"{out['total']:.2f}"
    if bad("content-object"):
        return Raw({"content": {"type": "text", "text": json.dumps(out)}, "structuredContent": out})
    return out


@tool("search_notes", "Finds notes by words and tags.",
      {"query": {**TEXT, "minLength": 1}, "tags": {"type": "array", "items": TAG, "uniqueItems": True, "maxItems": 4},
       "limit": integer(1, 20, default=5), "sort": enum("relevance", "newest", "oldest")}, ["query"],
      obj({"query": TEXT, "count": integer(0, 20), "hits": {"type": "array", "maxItems": 20, "items": obj(
          {"id": TEXT, "title": TEXT, "score": {"type": "number", "minimum": 0, "maximum": 1}, "tags": {
              "type": "array", "items": TAG}})}}))
async def search_notes(a):
    query, limit = a.get("query", ""), a.get("limit", 5)
    if bad("nul-character") and "\0" in query:
        raise ValueError("embedded null byte")
    if bad("too-many-hits") and a.get("sort") == "oldest":
        limit = 25
    hits = [{"id": n["id"], "title": n["title"], "score": 1 / (1 + i), "tags": n["tags"]}
            for i, n in enumerate(map(note, range(1, 31))) if set(n["tags"]) <= set(a.get("tags") or TAGS)]
    if a.get("sort") == "newest":
        hits.reverse()
    return {"query": query, "count": min(len(hits[:limit]), 20), "hits": hits[:limit]}


@tool("get_note", "Gives one note (note-1 to note-30).",
      {"note_id": {**TEXT, "pattern": "^note-[0-9]{1,2}$", "examples": ["note-1", "note-12"]},
       "style": enum("plain", "markdown", "html")}, ["note_id"],
      obj({"id": TEXT, "title": TEXT, "body": TEXT, "created_at": {**TEXT, "format": "date-time"},
           "tags": {"type": "array", "minItems": 1, "items": TAG}}))
async def get_note(a):
    n = int(a["note_id"][5:])
    if not 1 <= n <= 30:
        return failure(f"There is no note {a['note_id']}.")
    style = a["style"] if bad("key-error") else a.get("style", "plain")
    out = note(n)
    out["body"] = {"plain": out["body"], "markdown": f"**{out['body']}**", "html": f"<p>{out['body']}</p>"}[style]
    if bad("no-text-block"):
        return Raw({"content": [], "structuredContent": out})
    return out


METRES = {"mm": 0.001, "cm": 0.01, "m": 1, "km": 1000, "in": 0.0254, "ft": 0.3048, "mi": 1609.344}
UNIT = enum(*METRES)


@tool("convert_units", "Converts a length.",
      {"value": {"type": "number", "minimum": -1000000, "maximum": 1000000}, "from": UNIT, "to": UNIT,
       "precision": integer(0, 10, default=4)}, ["value", "from", "to"],
      obj({"value": {"type": "number"}, "unit": UNIT}))
async def convert_units(a):
    source, target = a["from"], a["to"]
    if bad("member-order"):
        source, target = [v for k, v in a.items() if k in ("from", "to")]
    if bad("unknown-unit") and target not in METRES:
        target = "m"
    if bad("print-debug"):
        print("converting", a["value"], flush=True)
    precision = a.get("precision", 4)
    if bad("zero-division"):
        step = 1 / precision
    return {"value": round(a["value"] * METRES[source] / METRES[target], precision), "unit": target}


ADDRESS = obj({"street": {**TEXT, "minLength": 1}, "city": TEXT, "zip": {**TEXT, "pattern": "^[0-9]{5}$"}},
              ["street", "city"])


@tool("quote_price", "Gives the price of a basket.",
      {"items": {"type": "array", "minItems": 1, "maxItems": 10, "items": obj(
          {"sku": {**TEXT, "pattern": "^SKU-[0-9]{3}$"}, "quantity": integer(1, 99)})},
       "delivery": obj({"method": enum("standard", "express", "pickup"), "address": ADDRESS, "note": TEXT}, ["method"]),
       "coupon": obj({"code": TEXT, "percent": integer(0, 100)})}, ["items"],
      obj({"net": AMOUNT, "discount": AMOUNT, "shipping": AMOUNT, "total": AMOUNT}))
async def quote_price(a):
    delivery, coupon = a.get("delivery", {}), a.get("coupon", {"percent": 0})
    if bad("coupon-exit") and "coupon" in a:
        die("coupon service is not configured")
    if bad("long-note-exit") and len(delivery.get("note", "")) > 65536:
        die("buffer overflow")
    net = sum(int(i["sku"][4:]) * i["quantity"] for i in a["items"])
    discount = net * coupon["percent"] / 100
    shipping = {"standard": 4.9, "express": 9.9}.get(delivery.get("method"), 0)
    total = net - discount + shipping
    if bad("options-together") and "coupon" in a and "delivery" in a:
        total = None
    return {"net": net, "discount": discount, "shipping": shipping, "total": total}


def kind(name, **properties):
    return obj({"kind": {"type": "string", "const": name}, **properties})


CARRIER = enum("post", "courier", "pickup", "drone")


@tool("delivery_status", "Tells where a parcel is.", {"carrier": CARRIER, "number": integer(1, 999)},
      ["carrier", "number"],
      obj({"carrier": CARRIER, "state": {"oneOf": [
          kind("in_transit", eta=DATE), kind("delivered", at={**TEXT, "format": "date-time"}, signed_by=TEXT),
          kind("waiting", point=obj({"name": TEXT, "open_until": {**TEXT, "pattern": "^[0-9]{2}:[0-9]{2}$"}})),
          kind("failed", attempts={"type": "integer", "minimum": 1}, reason=TEXT)]}}))
async def delivery_status(a):
    state = {"post": {"kind": "in_transit", "eta": day(a["number"])},
             "courier": {"kind": "delivered", "at": day(a["number"]) + "T12:00:00Z", "signed_by": "Bo Li"},
             "pickup": {"kind": "waiting", "point": {"name": "Corner shop", "open_until": "20:00"}},
             "drone": {"kind": "failed", "attempts": 2, "reason": "wind"}}[a["carrier"]]
    if bad("union-branch") and a["carrier"] == "drone":
        state["attempts"] = "2"
    if bad("extra-member") and a["carrier"] == "pickup":
        state["point"]["_cached"] = True
    return {"carrier": a["carrier"], "state": state}


@tool("summarize_sales", "Sums up the sales of a period.",
      {"from": DATE, "to": DATE, "group_by": enum("day", "week", "month"), "currency": CURRENCY}, ["from", "to"],
      obj({"period": obj({"from": DATE, "to": DATE}), "currency": CURRENCY, "average": AMOUNT, "buckets": {
          "type": "array", "minItems": 1, "maxItems": 31, "items": obj({"label": TEXT, "amount": AMOUNT})}}))
async def summarize_sales(a):
    await anyio.sleep(0.1)
    start, end = sorted(datetime.date.fromisoformat(a[k]) for k in ("from", "to"))
    group, currency = a.get("group_by", "day"), a.get("currency", "EUR")
    size = {"day": 1, "week": 7, "month": 30}[group]
    buckets = [{"label": f"{group} {i + 1}", "amount": 100.5 + i}
               for i in range(min((end - start).days // size + 1, 31))]
    show = "%d.%m.%Y" if bad("date-format") else "%Y-%m-%d"
    out = {"period": {"from": a["from"], "to": a["to"]}, "currency": currency, "buckets": buckets,
           "average": sum(b["amount"] for b in buckets) / len(buckets)}
    if bad("date-format"):
        out["period"] = {"from": start.strftime(show), "to": end.strftime(show)}
    if bad("enum-case") and currency == "GBP":
        out["currency"] = "gbp"
    if bad("empty-buckets") and group == "month":
        out["buckets"] = []
    return out


# ---- calls and lists -----------------------------------------------------------------

class Raw:
    """A result that is sent as it is."""
    def __init__(self, result):
        self.result = result

    def model_dump(self, **_):
        return self.result


def failure(text):
    content = [] if bad("silent-error") else [{"type": "text", "text": text}]
    return Raw({"content": content, "isError": True})


def whole(value):
    """2.0 is an integer in JSON Schema."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [whole(v) for v in value]
    return {k: whole(v) for k, v in value.items()} if isinstance(value, dict) else value


def forgiven(error):
    """Whether the planted fault lets this error of the arguments pass."""
    path = list(error.absolute_path)
    return (bad("unknown-unit") and error.validator == "enum" and path == ["to"]
            or bad("missing-query") and error.validator == "required"
            or bad("nested-extra") and error.validator == "additionalProperties" and path[:1] == ["delivery"])


async def convert_lax(value: float, source: str, target: str, precision: int = 4) -> dict:
    return await convert_units({"value": value, "from": source, "to": target, "precision": precision})


async def answer(name, arguments):
    if name not in TOOLS:
        if bad("unknown-tool-ok"):
            return Raw({"content": [{"type": "text", "text": "done"}]})
        raise McpError(types.ErrorData(code=types.INVALID_PARAMS, message=f"Unknown tool: {name}"))
    definition, function = TOOLS[name]
    arguments = whole(arguments)
    errors = Validator(definition.inputSchema, format_checker=FormatChecker()).iter_errors(arguments)
    if bad("lax-types") and name == "convert_units":
        # what FastMCP does by itself: pydantic turns "2" into 2, more members are dropped
        if arguments.get("from") in list(METRES) and arguments.get("to") in list(METRES):
            names = {"from": "source", "to": "target"}
            try:
                out = await FastTool.from_function(convert_lax).run(
                    {names.get(k, k): v for k, v in arguments.items()})
            except Exception as e:
                return failure(str(e))
            return Raw({"content": [{"type": "text", "text": json.dumps(out)}], "structuredContent": out})
    wrong = next((e for e in errors if not forgiven(e)), None)
    if wrong:
        return failure(f"Invalid arguments: {wrong.message[:200]}")
    try:
        out = await function(arguments)
    except Exception:
        if bad("key-error"):
            return failure(traceback.format_exc())
        raise
    return out if isinstance(out, Raw) else Raw(
        {"content": [{"type": "text", "text": json.dumps(out)}], "structuredContent": out})


async def call_tool(request):
    global CALLS, WAITER
    CALLS += 1
    if bad("cancel-lock"):  # the lock is not given back when the call is cancelled
        await LOCK.acquire()
        await anyio.sleep(0.3)
        LOCK.release()
    if bad("lost-answer"):  # a second call takes the place of the first
        WAITER = mine = asyncio.Event()
        asyncio.get_running_loop().call_later(0.05, lambda: WAITER.set())
        await mine.wait()
    return await answer(request.params.name, request.params.arguments or {})


async def list_tools(request):
    tools = [t for t, _ in TOOLS.values()]
    if bad("vanishing-tool") and CALLS:
        tools = [t for t in tools if t.name != "search_notes"]
    following = None
    if bad("cursor-exit") or bad("pages-overlap"):
        cursor = request.params.cursor if request and request.params else None
        if cursor and not cursor.isdigit():
            if bad("cursor-exit"):
                die(f"bad cursor {cursor}")
            raise McpError(types.ErrorData(code=types.INVALID_PARAMS, message="Invalid cursor"))
        start = int(cursor or 0)
        following = str(start + 3) if start + 3 < len(tools) else None
        tools = tools[start:start + (4 if bad("pages-overlap") else 3)]
    return types.ServerResult(types.ListToolsResult(tools=tools, nextCursor=following))


class CleanInput:
    """The SDK drops a line with half of a surrogate pair and never answers it: replace the half."""
    def __init__(self, lines):
        self.lines = lines

    async def __aiter__(self):
        async for line in self.lines:
            if "\\ud" in line.lower() and not bad("surrogate-hang"):
                try:
                    line = json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "replace").decode()
                except ValueError:
                    pass
            yield line


async def main():
    server = Server("shop", "1.0.0")
    server.request_handlers[types.CallToolRequest] = call_tool
    server.request_handlers[types.ListToolsRequest] = list_tools
    lines = CleanInput(anyio.wrap_file(TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")))
    async with stdio_server(stdin=lines) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


anyio.run(main)
