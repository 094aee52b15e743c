"""Middleware for FastMCP servers, which checks calls and results against the schemas that the server lists."""

from __future__ import annotations

from typing import Any

from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext

from ._errors import ToolsureError
from ._toolsure import ToolContract


class ContractMiddleware(Middleware):
    """Add it with `server.add_middleware(ContractMiddleware())`.

    If arguments do not match `inputSchema`, the call ends in a tool error that says why, and the tool does not run. If
    a result does not match `outputSchema`, the call ends in a tool error too, and so does a check that reaches a limit.
    """

    def __init__(self) -> None:
        self._contracts: dict[str, tuple[str, ToolContract]] = {}

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        contract = await self._contract(context)
        if contract is not None:
            self._hold(lambda: contract.check_arguments(context.message.arguments))
        result = await call_next(context)
        # A result that asks the client for input first is not the final one.
        if contract is not None and getattr(result, "input_required", None) is None:
            wire = _wire(result)
            self._hold(lambda: contract.check_result(wire, protocol_version=_VERSION))
        return result

    async def _contract(self, context: MiddlewareContext[Any]) -> ToolContract | None:
        server = context.fastmcp_context.fastmcp if context.fastmcp_context else None
        # FastMCP itself answers for an unknown tool.
        tool = await server.get_tool(context.message.name) if server else None
        if tool is None:
            return None
        text = tool.to_mcp_tool().model_dump_json(by_alias=True, exclude_none=True)
        held = self._contracts.get(tool.name)
        if held is None or held[0] != text:
            held = (text, self._hold(lambda: ToolContract(text)))
            self._contracts[tool.name] = held
        return held[1]

    @staticmethod
    def _hold(check: Any) -> Any:
        try:
            return check()
        except ToolsureError as error:
            raise ToolError(str(error)) from error


def _wire(result: Any) -> dict[str, Any]:
    """The result as it goes over the wire."""
    wire: dict[str, Any] = {
        "content": [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content],
        "isError": result.is_error,
    }
    if result.structured_content is not None:
        wire["structuredContent"] = result.structured_content
    return wire


# Results of FastMCP have objects as structured content, which this version and the later one read alike.
_VERSION = "2025-11-25"
