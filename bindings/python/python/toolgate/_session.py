"""The official SDK's client session, which checks calls and results.

The SDK checks results with the package `jsonschema`, which has no limits, and never checks arguments.
"""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.client.session import ClientSession as SdkSession

from ._errors import ContractError, ToolgateError
from ._toolgate import ToolContract


class ClientSession(SdkSession):
    """An `mcp.ClientSession` that checks every call against its tool's contract.

    Arguments that do not match `inputSchema` raise `ContractError` and are not sent. A call is not sent either if a
    schema of the tool does not compile (`SchemaError`), if its check reaches a limit (`Undecided`), or if the server
    does not list the tool. Results are checked in the same way before `call_tool` returns them.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # A malformed definition affects only its own tool: the error is raised when that tool is called.
        self._contracts: dict[str, tuple[str, ToolContract | ToolgateError]] = {}

    async def list_tools(self, *, params: types.PaginatedRequestParams | None = None) -> types.ListToolsResult:
        """As in the SDK; also keeps the contracts of the tools."""
        listed = await super().list_tools(params=params)
        if (params is None or params.cursor is None) and listed.next_cursor is None:
            names = {tool.name for tool in listed.tools}
            self._contracts = {name: held for name, held in self._contracts.items() if name in names}
        for tool in listed.tools:
            text = tool.model_dump_json(by_alias=True, exclude_none=True)
            held = self._contracts.get(tool.name)
            if held is None or held[0] != text:
                self._contracts[tool.name] = (text, _read(text))
        return listed

    async def contract(self, name: str) -> ToolContract:
        """The contract of a tool; lists the server's tools if the tool is not known yet."""
        cursor: str | None = None
        while name not in self._contracts:
            params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
            page = await self.list_tools(params=params)
            if page.next_cursor is None or page.next_cursor == cursor:
                break
            cursor = page.next_cursor
        held = self._contracts.get(name)
        if held is None:
            raise ContractError(f"the server does not list a tool `{name}`", "tool-unknown", name, ())
        if isinstance(held[1], ToolgateError):
            raise held[1]
        return held[1]

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None, *args: Any, **kwargs: Any) -> Any:
        """As in the SDK, after a check of the arguments."""
        (await self.contract(name)).check_arguments(arguments)
        return await super().call_tool(name, arguments, *args, **kwargs)

    async def validate_tool_result(self, name: str, result: types.CallToolResult) -> None:
        """Raises if a result breaks the contract. The SDK calls this for each result that is not an error."""
        contract = await self.contract(name)
        wire = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
        contract.check_result(wire, protocol_version=self.protocol_version or _VERSION)


def _read(text: str) -> ToolContract | ToolgateError:
    try:
        return ToolContract(text)
    except ToolgateError as error:
        return error


# For a session that was not initialised: the newest version with a handshake.
_VERSION = "2025-11-25"
