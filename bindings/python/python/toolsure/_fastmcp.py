"""FastMCP: middleware for servers and a transform for single tools, and a transport for clients, which check calls and
results against the schemas that the server lists."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any, Optional

import mcp_types as types
from fastmcp.client.transports import ClientTransport, infer_transport
from fastmcp.client.transports.base import TransportOptions
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import Tool
from fastmcp.utilities.logging import get_logger
from fastmcp.utilities.versions import VersionSpec

from ._errors import ToolsureError
from ._policy import policy
from ._toolsure import ToolContract

_log = get_logger("toolsure")


class ContractMiddleware(Middleware):
    """Add it with `server.add_middleware(ContractMiddleware())`.

    If arguments do not match `inputSchema`, the call ends in a tool error that says why, and the tool does not run. If
    a result does not match `outputSchema`, the call ends in a tool error too, and so does a check that reaches a limit.
    Each is logged to `fastmcp.toolsure`. The options are `results_only`, `record_only`, `on_undecided`, `repair`,
    and those of `ToolContract`.
    """

    def __init__(self, **options: Any) -> None:
        self._policy = policy(**options)
        # By name and version: the definition, and its contract.
        self._contracts: dict[tuple[str, Optional[str]], tuple[str, ToolContract]] = {}

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        message = context.message
        server = context.fastmcp_context.fastmcp if context.fastmcp_context else None
        version = _version(getattr(message, "meta", None))
        # FastMCP itself answers for an unknown tool.
        tool = await server.get_tool(message.name, version) if server else None
        if tool is None:
            return await call_next(context)
        return await self._checked(tool, message, context, call_next)

    async def _checked(self, tool: Tool, message: Any, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        try:
            contract = self._contract(tool)
        except ToolsureError as error:
            with _tool_errors():
                self._policy.found(error, _log)
            return await call_next(context)
        with _tool_errors():
            arguments = self._policy.arguments(contract, message.arguments, _log)
        if arguments is not message.arguments:
            context = context.copy(message=message.model_copy(update={"arguments": arguments}))
        result = await call_next(context)
        # A result that asks the client for input first is not the final one.
        if getattr(result, "input_required", None) is None:
            with _tool_errors():
                self._policy.result(contract, _wire(result), _log)
        return result

    def _contract(self, tool: Tool) -> ToolContract:
        text = tool.to_mcp_tool().model_dump_json(by_alias=True, exclude_none=True)
        key = (tool.name, tool.version)
        held = self._contracts.get(key)
        if held is None or held[0] != text:
            # Results of FastMCP have objects as structured content, which this version and the later one read alike.
            options = {"protocol_version": "2025-11-25"} | self._policy.options
            held = (text, ToolContract(text, **options))
            if len(self._contracts) >= _MOST:
                self._contracts.clear()
            self._contracts[key] = held
        return held[1]


def checked_tool(tool: Any, **options: Any) -> Tool:
    """One tool that checks its calls and results, for a server without the middleware; also a decorator for a function.

        server.add_tool(checked_tool(count))

    The options are those of `ContractMiddleware`.
    """
    from fastmcp.tools.base import ToolResult

    inner = tool if isinstance(tool, Tool) else Tool.from_function(tool)
    middleware = ContractMiddleware(**options)

    class CheckedTool(type(inner)):  # type: ignore[misc]
        async def run(self, arguments: dict[str, Any]) -> ToolResult:
            context = MiddlewareContext(message=types.CallToolRequestParams(name=self.name, arguments=arguments))

            async def call_next(context: MiddlewareContext[Any]) -> Any:
                return await inner.run(context.message.arguments or {})

            return await middleware._checked(inner, context.message, context, call_next)

    CheckedTool.__name__ = CheckedTool.__qualname__ = type(inner).__name__
    return CheckedTool.model_construct(**dict(inner))


class CheckedTransport(ClientTransport):
    """A transport whose sessions check every call: `fastmcp.Client(CheckedTransport(server))`.

    `server` is whatever `fastmcp.Client` takes. The options are those of `ClientSession.with_options`.
    """

    def __init__(self, server: Any, **options: Any) -> None:
        from ._session import ClientSession

        self._inner = infer_transport(server)
        self._session_class = ClientSession.with_options(**options)

    @asynccontextmanager
    async def connect_session(
        self, *, transport_options: Optional[TransportOptions] = None, **session_kwargs: Any
    ) -> AsyncIterator[Any]:
        options = replace(transport_options or TransportOptions(), session_class=self._session_class)
        async with self._inner.connect_session(transport_options=options, **session_kwargs) as session:
            if not isinstance(session, self._session_class):
                raise RuntimeError(f"{self._inner!r} makes sessions of its own class, which check nothing")
            yield session

    def __getattr__(self, name: str) -> Any:
        if name == "_inner":
            raise AttributeError(name)
        return getattr(self._inner, name)

    async def close(self) -> None:
        await self._inner.close()

    def __repr__(self) -> str:
        return f"CheckedTransport({self._inner!r})"


@contextmanager
def _tool_errors() -> Iterator[None]:
    """Raises what FastMCP answers to the client."""
    try:
        yield
    except ToolsureError as error:
        raise ToolError(str(error)) from error


def _version(meta: Any) -> Optional[VersionSpec]:
    """The version of the tool that a call names: `_meta.fastmcp.version`."""
    named = meta.get("fastmcp") if isinstance(meta, dict) else getattr(meta, "fastmcp", None)
    version = named.get("version") if isinstance(named, dict) else None
    if isinstance(version, str):
        return VersionSpec(eq=version)
    if isinstance(version, dict):
        return VersionSpec(**{key: version.get(key) for key in ("gte", "lt", "eq")})
    return None


def _wire(result: Any) -> dict[str, Any]:
    """The result as it goes over the wire."""
    found: dict[str, Any] = {
        "content": [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content],
        "isError": bool(getattr(result, "is_error", False)),
    }
    if result.structured_content is not None:
        found["structuredContent"] = result.structured_content
    return found


# The maximum number of contracts that the middleware keeps.
_MOST = 10_000
