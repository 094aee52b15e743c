"""FastMCP as the server of the shapes: `stdio`, or `http` (prints where).

Types say what they can, and FastMCP makes the schemas; the other shapes are tools with a schema
of their own. FastMCP wraps output that is not an object in a member `result`, in both eras.
"""

import json
import os
import socket
import sys
from typing import Annotated, Any, Literal

import uvicorn
from fastmcp import FastMCP
from fastmcp.tools import Tool, ToolResult
from mcp_types import TextContent
from pydantic import Field
from typing_extensions import TypeAliasType

mcp = FastMCP("shapes")

Numbers = TypeAliasType("Numbers", "list[int | Numbers]")


@mcp.tool(name="get-weather")
def get_weather(city: Annotated[str, Field(min_length=1)]) -> dict[str, str | int]:
    return {"city": city, "conditions": "sunny", "celsius": 21}


@mcp.tool(name="list-forecasts")
def list_forecasts(hours: Annotated[int, Field(ge=1, le=24)] = 2) -> list[dict[str, str | int]]:
    return [{"hour": "09:00", "celsius": 18}, {"hour": "10:00", "celsius": 19}][:hours]


@mcp.tool(name="get-count")
def get_count(collection: Literal["users", "sessions"]) -> int:
    return 0


@mcp.tool(name="find-nothing")
def find_nothing() -> dict[str, str] | None:
    return None


@mcp.tool(name="nested-numbers")
def nested_numbers() -> Numbers:
    return [1, [2, [3]]]


class Shape(Tool):
    """A tool that has its schemas and its answer from the shapes."""

    answer: dict[str, Any]

    async def run(self, arguments):
        content = [TextContent(**block) for block in self.answer["content"]]
        return ToolResult(content=content, structured_content=self.answer.get("structuredContent"))


TYPED = {"get-weather", "list-forecasts", "get-count", "find-nothing", "nested-numbers"}

with open(os.environ["INTEROP_SHAPES"], encoding="utf-8") as file:
    for shape in json.load(file):
        tool = shape["tool"]
        if tool["name"] not in TYPED:
            mcp.add_tool(
                Shape(
                    name=tool["name"],
                    description=tool["description"],
                    parameters=tool["inputSchema"],
                    output_schema=tool.get("outputSchema"),
                    answer=shape["answer"],
                )
            )


if sys.argv[1] == "http":
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(mcp.http_app(path="/mcp"), log_level="warning")).run(sockets=[listener])
else:
    mcp.run(transport="stdio", show_banner=False)
