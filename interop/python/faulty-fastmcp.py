"""MCP server over stdio (package `fastmcp`). Without an argument it is correct and
lists its tools in pages of four; `server.py FAULT` plants one fault. The faults are
listed in interop/faults.json."""
import asyncio
import datetime
import functools
import json
import os
import sys
from decimal import Decimal
from io import TextIOWrapper
from typing import Annotated, Literal

sys.path[:] = [p for p in sys.path if p not in ("", os.path.dirname(os.path.abspath(__file__)))]

import anyio
from fastmcp import FastMCP
from fastmcp.exceptions import NotFoundError, ToolError
from fastmcp.server.middleware import Middleware
from fastmcp.server.mixins import mcp_operations, transport
from fastmcp.tools.base import ToolResult
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""


def bad(name):
    return FAULT == name


mcp = FastMCP("kitchen", strict_input_validation=not bad("lax-types"), list_page_size=4)


def obj(properties, required=None):
    return {"type": "object", "properties": properties, "additionalProperties": False,
            "required": list(properties) if required is None else required}


def tool(output):
    return mcp.tool(output_schema=output, annotations={"readOnlyHint": True})


TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
AMOUNT = {"type": "number", "minimum": 0}
DATE = {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
Course = Literal["starter", "main", "dessert"]
COURSES = ["starter", "main", "dessert"]
COURSE = {"type": "string", "enum": COURSES}
RecipeId = Annotated[int, Field(ge=1, le=24)]

INGREDIENT = obj({"name": TEXT, "grams": AMOUNT})
RECIPE = {"id": {"type": "integer"}, "name": TEXT, "course": COURSE, "minutes": COUNT, "vegan": {"type": "boolean"}}


def recipe(n):
    return {"id": n, "name": f"Recipe {n}", "course": COURSES[n % 3], "minutes": 10 + n, "vegan": n % 2 == 0}


def ingredients(n):
    return [{"name": name, "grams": 50 * (n % 5 + i + 1)} for i, name in enumerate(["flour", "oil", "salt"])]


POOL = asyncio.Semaphore(2)


@tool(obj({"recipes": {"type": "array", "items": obj(RECIPE), "maxItems": 5}, "page": COUNT, "pages": COUNT}))
async def list_recipes(course: Course | None = None, page: Annotated[int, Field(ge=1, le=20)] = 1,
                       vegan: bool = False) -> dict:
    """Lists the recipes, five at a time."""
    if bad("pool-leak"):  # two connections, and none is given back
        await POOL.acquire()
    found = [r for r in map(recipe, range(1, 25)) if course in (None, r["course"]) and (r["vegan"] or not vegan)]
    pages = [found[i:i + 5] for i in range(0, len(found), 5)]
    shown = pages[page - 1] if bad("page-index") else (pages[page - 1:page] or [[]])[0]
    out = {"recipes": shown, "page": page, "pages": len(pages)}
    if bad("prose-branch") and vegan:
        return ToolResult(content=f"{len(found)} vegan recipes")
    return out


@tool(obj({**RECIPE, "ingredients": {"type": "array", "minItems": 1, "items": INGREDIENT}, "source": TEXT},
          [*RECIPE, "ingredients"]))
async def get_recipe(recipe_id: RecipeId) -> dict:
    """Gives one recipe."""
    out = {**recipe(recipe_id), "ingredients": ingredients(recipe_id)}
    if recipe_id % 2:
        out["source"] = "grandmother"
    elif bad("null-source"):
        out["source"] = None
    return out


class Rounding(BaseModel):
    model_config = ConfigDict(extra="ignore" if bad("nested-extra") else "forbid",
                              json_schema_extra={"additionalProperties": False})
    mode: Literal["up", "down", "nearest"]
    digits: Annotated[int, Field(ge=0, le=3)] = 0


def below(servings):
    if bad("servings-bound") and servings >= 100:
        raise ValueError("must be less than 100")
    return servings


Servings = Annotated[int, Field(ge=1, le=100), AfterValidator(below)]


@tool(obj({"recipe_id": COUNT, "servings": {"type": "integer", "minimum": 1, "maximum": 100},
           "ingredients": {"type": "array", "minItems": 1, "items": INGREDIENT}}))
async def scale_recipe(recipe_id: RecipeId, servings: Servings, rounding: Rounding | None = None) -> dict:
    """Scales a recipe to a number of servings."""
    scaled = [{"name": i["name"], "grams": i["grams"] * servings / 4} for i in ingredients(recipe_id)]
    if rounding:
        step = 10 ** -rounding.digits
        for i in scaled:
            down = i["grams"] // step * step
            i["grams"] = {"up": down + step, "down": down, "nearest": round(i["grams"], rounding.digits)}[rounding.mode]
    return {"recipe_id": recipe_id, "servings": servings, "ingredients": scaled}


@tool(obj({"monthly": AMOUNT, "total": AMOUNT, "ends_on": DATE}))
async def loan_plan(amount: Annotated[float, Field(ge=100, le=1000000)], months: Annotated[int, Field(ge=1, le=480)],
                    yearly_rate: Annotated[float, Field(ge=0, le=30, description="per cent")]) -> dict:
    """Gives the rates of a loan."""
    rate = yearly_rate / 1200
    part = 1 - (1 + rate) ** -months  # 0 for a tiny rate too
    monthly = amount * rate / part if part or bad("zero-rate") else amount / months
    end = datetime.datetime(2025, 1, 1) + datetime.timedelta(days=30 * months)
    return {"monthly": monthly, "total": monthly * months,
            "ends_on": end.isoformat() if bad("datetime-for-date") else end.date().isoformat()}


def state(name, **properties):
    return obj({"state": {"type": "string", "const": name}, **properties})


@tool({"type": "object", "oneOf": [
    state("in_stock", count=COUNT), state("on_order", due=DATE),
    state("discontinued", replaced_by={"anyOf": [TEXT, {"type": "null"}]})]})
async def stock_level(sku: Annotated[str, Field(pattern="^[A-Z]{2}[0-9]{4}$")],
                      warehouse: Literal["north", "south", "returns"]) -> dict:
    """Tells how much of an article is in a warehouse."""
    if warehouse == "north":
        return {"state": "in_stock", "count": int(sku[2:]) % 50}
    if warehouse == "south":
        return {"state": "on_order", "due": "2025-09-01"}
    return {"state": "discontinued"} if bad("branch-missing") else {"state": "discontinued", "replaced_by": None}


@tool(obj({"parts": {"type": "array", "minItems": 2, "maxItems": 4, "items": obj({"color": TEXT, "litres": AMOUNT})},
           "price": AMOUNT}))
async def mix_paint(
        colors: Annotated[list[Literal["red", "yellow", "blue", "white"]],
                          Field(min_length=2, max_length=4, json_schema_extra={"uniqueItems": True})],
        litres: Annotated[float, Field(gt=0, le=100)]) -> dict:
    """Mixes a paint from different colours."""
    if len(set(colors)) < len(colors) and not bad("duplicates"):
        raise ToolError("" if bad("blank-error") else "Invalid arguments: the colors must be different")
    price = Decimal("12.50") * Decimal(litres)
    return {"parts": [{"color": c, "litres": litres / len(colors)} for c in colors],
            "price": price if bad("decimal-string") else float(price)}


def depth(letters):
    return 0 if not letters else 1 + depth(letters[1:])


@tool(obj({"found": {"type": "array", "items": obj({"name": TEXT, "phone": TEXT})}, "length": COUNT}))
async def find_contact(name: Annotated[str, Field(min_length=1)], exact: bool = False) -> dict:
    """Finds people by a part of their name."""
    if bad("latin1"):
        name.encode("latin-1")
    if bad("recursion") and len(name) > 900:
        depth(name[:5000])
    people = [("Ada Lovelace", "+44 20 1234"), ("Bo Li", "+86 10 5678"), ("Çelik Ünal", "+90 212 9012")]
    found = [{"name": n, "phone": p} for n, p in people
             if (n == name if exact else name.casefold() in n.casefold())]
    return {"found": found, "length": len(name)}


def whole(value):
    """2.0 is an integer in JSON Schema, but not for strict pydantic."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [whole(v) for v in value]
    return {k: whole(v) for k, v in value.items()} if isinstance(value, dict) else value


class Hooks(Middleware):
    current = None

    async def on_call_tool(self, context, call_next):
        context.message.arguments = whole(context.message.arguments or {})
        if bad("shared-context"):  # the call is kept at one place for all calls
            self.current = context
            await asyncio.sleep(0.05)
            context = self.current
        try:
            return await call_next(context)
        except NotFoundError:
            if bad("unknown-tool-ok"):
                return ToolResult(content="null")
            raise

    async def on_list_tools(self, context, call_next):
        tools = await call_next(context)
        if bad("renamed-tool"):
            tools = [t.model_copy(update={"name": "read_recipe"}) if t.name == "get_recipe" else t for t in tools]
        return tools


mcp.add_middleware(Hooks())

if bad("page-overlap"):
    def overlapping(items, cursor, size):
        start = int(cursor or 0)
        end = start + size
        return list(items[start:end]), str(end - 1) if end < len(items) else None
    mcp_operations.paginate_sequence = overlapping


class CleanInput:
    """The SDK drops a line with half of a surrogate pair and never answers it: replace the half."""
    async def __aiter__(self):
        async for line in anyio.wrap_file(TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")):
            if "\\ud" in line.lower():
                try:
                    line = json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "replace").decode()
                except ValueError:
                    pass
            yield line


transport.stdio_server = functools.partial(transport.stdio_server, stdin=CleanInput())
mcp.run(show_banner=False)
