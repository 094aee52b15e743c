"""The official SDK's client session, which checks calls and results.

The SDK checks results with the package `jsonschema`, which has no limits, and never checks arguments.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import mcp_types as types
from mcp.client.session import ClientSession as SdkSession

from ._errors import ContractError, NotJsonError, ToolsureError
from ._toolsure import ToolContract


class ClientSession(SdkSession):
    """An `mcp.ClientSession` that checks every call against its tool's contract.

    Arguments that do not match `inputSchema` raise `ContractError` and are not sent. A call is not sent either if a
    schema of the tool does not compile (`SchemaError`) or has a number that JSON does not have (`NotJsonError`), if its
    check reaches a limit (`UndecidedError`), or if the server does not list the tool. Results are checked in the same way
    before `call_tool` returns them.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The last list: its pages by their cursors, the first by `None`.
        self._pages: dict[str | None, _Page] = {}
        self._contracts: dict[str, _Held] = {}

    async def list_tools(self, *, params: types.PaginatedRequestParams | None = None) -> types.ListToolsResult:
        """As in the SDK; also keeps the contracts of the tools, until a newer page does not lead to them."""
        listed = await super().list_tools(params=params)
        cursor = None if params is None else params.cursor
        # Reversed, because the first of two tools with one name counts.
        tools = {tool.name: self._held(tool) for tool in reversed(listed.tools)}
        self._pages[cursor] = _Page(listed.next_cursor, tools)
        pages: dict[str | None, _Page] = {}
        contracts: dict[str, _Held] = {}
        at: str | None = None
        while at not in pages and at in self._pages and len(pages) < _PAGES:
            page = pages[at] = self._pages[at]
            for name, held in page.tools.items():
                contracts.setdefault(name, held)
            at = page.next_cursor
        self._pages = pages
        self._contracts = contracts
        return listed

    def _held(self, tool: types.Tool) -> _Held:
        definition = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
        # The schemas as they were read: the mode writes infinite numbers as `null`.
        definition["inputSchema"] = tool.input_schema
        if tool.output_schema is not None:
            definition["outputSchema"] = tool.output_schema
        text = json.dumps(definition)
        held = self._contracts.get(tool.name)
        return held if held is not None and held.text == text else _Held(text, _read(definition))

    async def contract(self, name: str) -> ToolContract:
        """The contract of a tool; lists the server's tools if the tool is not known yet."""
        if name not in self._contracts:
            await self._find(name)
        held = self._contracts.get(name)
        if held is None:
            raise ContractError(f"the server does not list a tool `{name}`", "tool-unknown", name, ())
        if isinstance(held.contract, ToolsureError):
            raise held.contract
        return held.contract

    async def _find(self, name: str) -> None:
        """Reads the list, page by page, until it has the tool or ends."""
        followed: set[str | None] = set()
        cursor: str | None = None
        while True:
            followed.add(cursor)
            params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
            cursor = (await self.list_tools(params=params)).next_cursor
            if cursor is None or name in self._contracts:
                return
            if cursor in followed:
                raise _unread(name, "a cursor comes again")
            if len(followed) >= _PAGES:
                raise _unread(name, f"it has more than {_PAGES} pages")

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None, *args: Any, **kwargs: Any) -> Any:
        """As in the SDK, after a check of the arguments."""
        (await self.contract(name)).check_arguments(arguments)
        return await super().call_tool(name, arguments, *args, **kwargs)

    async def validate_tool_result(self, name: str, result: types.CallToolResult) -> None:
        """Raises if a result breaks the contract. The SDK calls this for each result that is not an error."""
        contract = await self.contract(name)
        wire = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
        if "structuredContent" in wire:
            # The value that is returned: the mode writes infinite numbers and NaN as `null`.
            wire["structuredContent"] = result.structured_content
        try:
            contract.check_result(wire, protocol_version=self.protocol_version or _VERSION)
        except NotJsonError as error:
            message = f"tool `{name}` answered with a value that JSON does not have: {error}"
            raise ContractError(message, "result-malformed", name, ()) from error


class _Held(NamedTuple):
    """A tool of a page. A malformed definition affects only its own tool: the error is raised when it is called."""

    text: str
    contract: ToolContract | ToolsureError


class _Page(NamedTuple):
    """A page of the server's list."""

    next_cursor: str | None
    tools: dict[str, _Held]


def _read(definition: dict[str, Any]) -> ToolContract | ToolsureError:
    try:
        return ToolContract(definition)
    except ToolsureError as error:
        return error


def _unread(name: str, reason: str) -> ContractError:
    message = f"tool `{name}` was not called: its server's list of tools could not be read: {reason}"
    return ContractError(message, "tool-list-unread", name, ())


# The maximum number of pages of one list; the guard has the same.
_PAGES = 200
# For a session that was not initialised: the newest version with a handshake.
_VERSION = "2025-11-25"
