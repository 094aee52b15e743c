"""The official SDK's client session, which checks calls and results.

The SDK checks results with the package `jsonschema`, which has no limits, and never checks arguments.
"""

from __future__ import annotations

import inspect
import json
import logging
from contextvars import ContextVar
from time import monotonic
from typing import Any, Optional

import anyio
import mcp
import mcp_types as types
from mcp.client.session import ClientSession as SdkSession

from ._errors import ContractError, NotJsonError
from ._policy import Policy, policy
from ._toolsure import Catalog, ToolContract, json_text
from ._wire import wire

_log = logging.getLogger("toolsure.mcp")
_SIGNATURE = inspect.signature(SdkSession.__init__)


class ClientSession(SdkSession):
    """An `mcp.ClientSession` that checks every call against its tool's contract.

    Arguments that do not match `inputSchema` raise `ContractError` and are not sent. A call is not sent either if a
    schema of the tool does not compile, if its check reaches a limit (`UndecidedError`), or if the server does not list
    the tool. Results are checked in the same way before `call_tool` returns them. All these are `RuntimeError`, which
    the SDK raises for results that do not match.

    After `notifications/tools/list_changed`, and when the list's `ttlMs` has passed, the tools are read again before
    a call is checked. `with_options` makes a class with other options.
    """

    _policy = Policy()

    @classmethod
    def with_options(cls, **options: Any) -> type[ClientSession]:
        """A class of sessions with options: `results_only`, `record_only`, `on_undecided`, `repair`, and those of
        `ToolContract`."""
        return type(cls.__name__, (cls,), {"_policy": policy(**options), "__module__": cls.__module__})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = _SIGNATURE.bind(self, *args, **kwargs)
        given.arguments["message_handler"] = self._notified(given.arguments.get("message_handler"))
        super().__init__(*given.args[1:], **given.kwargs)
        self._prepare()

    def _prepare(self) -> None:
        self._known: Optional[Catalog] = None
        self._odd: dict[str, Exception] = {}
        self._reading = anyio.Lock()
        # How often the whole list was read.
        self._reads = 0
        # The contract of the call that this task makes: its result is checked against the same one.
        self._calling: ContextVar[Optional[ToolContract]] = ContextVar("calling", default=None)
        # The tool of the call that this task makes, if neither it nor its result is checked.
        self._unchecked: ContextVar[frozenset[str]] = ContextVar("unchecked", default=frozenset())

    def _notified(self, handler: Any) -> Any:
        async def notified(message: Any) -> None:
            if isinstance(message, types.ToolListChangedNotification) and self._known is not None:
                self._known.changed()
            if handler is not None:
                await handler(message)
            else:
                await anyio.lowlevel.checkpoint()

        return notified

    @property
    def _catalog(self) -> Catalog:
        if self._known is None:
            # The version is known after the handshake.
            self._known = Catalog(self.protocol_version or _VERSION, **self._policy.options)
        return self._known

    async def list_tools(self, *, params: Optional[types.PaginatedRequestParams] = None) -> types.ListToolsResult:
        """As in the SDK; also keeps the contracts of the tools."""
        asked = self._catalog.ask()
        listed = await super().list_tools(params=params)
        cursor = None if params is None else params.cursor
        try:
            self._catalog.page(self._text(listed), cursor, asked, monotonic())
        except ValueError as error:
            self._catalog.incomplete(str(error), monotonic())
        return listed

    def _text(self, listed: types.ListToolsResult) -> str:
        """A page as JSON text. Tools with numbers that JSON does not have are kept apart: it would be `null`."""
        page = json.dumps(listed.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"tools"}))
        tools = []
        for tool in listed.tools:
            self._odd.pop(tool.name, None)
            try:
                # What is over a limit of schemas is kept apart where the page is read, under the limits that were set.
                tools.append(json.dumps(wire(tool), allow_nan=False))
            except (ValueError, RecursionError) as error:
                self._odd[tool.name] = _placed(tool, error)
        comma = "" if page == "{}" else ","
        return f'{page[:-1]}{comma}"tools":[{",".join(tools)}]}}'

    async def contract(self, name: str) -> ToolContract:
        """The contract of a tool; reads the server's list if it is not known or out of date."""
        read = False
        if not self._catalog.is_fresh(monotonic()):
            read = True
            async with self._reading:
                # Another task may have read it meanwhile.
                if not self._catalog.is_fresh(monotonic()):
                    await self._read()
        contract = self._catalog.contract(name)
        if contract is None and not read and name not in self._odd:
            # It may be new, and the server did not say so.
            self._catalog.changed()
            async with self._reading:
                await self._read()
            contract = self._catalog.contract(name)
        if contract is not None:
            return contract
        odd = self._odd.get(name)
        if odd is not None:
            message = f"tool `{name}` has a schema with a value that JSON does not have: {odd}"
            raise ContractError(message, code="tool-json", tool=name) from odd
        raise ContractError(f"the server does not list a tool `{name}`", code="tool-unknown", tool=name)

    async def _read(self) -> None:
        """Reads the whole list."""
        self._reads += 1
        followed: set[Optional[str]] = set()
        cursor: Optional[str] = None
        while True:
            followed.add(cursor)
            params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
            try:
                cursor = (await self.list_tools(params=params)).next_cursor
            except mcp.MCPError as error:
                return self._catalog.incomplete(f"the server answered with an error: {error}", monotonic())
            if cursor is None:
                return None
            if cursor in followed:
                return self._catalog.incomplete("a cursor comes again", monotonic())
            if len(followed) >= _PAGES:
                return self._catalog.incomplete(f"it has more than {_PAGES} pages", monotonic())

    async def _contract(self, name: str) -> Optional[ToolContract]:
        """The contract of a tool; `None` if there is none, and calls are not refused."""
        try:
            return await self.contract(name)
        except ContractError as error:
            self._policy.found(error, _log)
            return None

    async def call_tool(self, name: str, arguments: Optional[dict[str, Any]] = None, *args: Any, **kwargs: Any) -> Any:
        """As in the SDK, after a check of the arguments."""
        reads = self._reads
        contract = await self._contract(name)
        if contract is not None and _named_version(kwargs.get("meta")) is not None:
            # The server lists the newest version only.
            _log.warning("Not checked: tool %r, of which the call names a version", name)
            contract = None
        if contract is not None:
            is_certain = self._reads > reads or self._catalog.is_vouched_for(monotonic())
            if not is_certain and not self._policy.fits(contract, arguments):
                # The tool may have changed without notice.
                self._catalog.changed()
                contract = await self._contract(name) or contract
            arguments = self._policy.arguments(contract, arguments, _log)
        token = self._calling.set(contract)
        unchecked = self._unchecked.set(frozenset() if contract else frozenset({name}))
        try:
            return await super().call_tool(name, arguments, *args, **kwargs)
        finally:
            self._calling.reset(token)
            self._unchecked.reset(unchecked)

    async def validate_tool_result(self, name: str, result: types.CallToolResult) -> None:
        """Raises if a result breaks the contract. The SDK calls this for each result that is not an error."""
        if name in self._unchecked.get():
            return
        contract = self._calling.get() or await self._contract(name)
        if contract is None:
            return
        try:
            contract.validate_result(wire(result))
            return
        except (ContractError, NotJsonError):
            if not self._catalog.is_vouched_for(monotonic()):
                # The tool may have changed without notice.
                self._catalog.changed()
                contract = await self._contract(name) or contract
        except RuntimeError:
            pass
        self._policy.result(contract, result, _log)


class Client(mcp.Client):
    """An `mcp.Client` whose session checks every call: see `ClientSession`.

    `checks` has the options of `ClientSession.with_options`.
    """

    def __init__(self, server: Any, *, checks: Optional[dict[str, Any]] = None, **kwargs: Any) -> None:
        self._session_class = ClientSession.with_options(**(checks or {}))
        self._notify: list[Any] = []
        handler = kwargs.pop("message_handler", None)

        async def notified(message: Any) -> None:
            for notify in self._notify:
                await notify(message)
            if handler is not None:
                await handler(message)

        super().__init__(server, message_handler=notified, **kwargs)

    async def __aenter__(self) -> Any:
        entered = await super().__aenter__()
        if not isinstance(self.session, ClientSession):
            await self.__aexit__(None, None, None)
            raise RuntimeError("this version of `mcp` does not let toolsure.mcp.Client check calls")
        return entered

    async def _build_session(self, exit_stack: Any) -> SdkSession:
        session: Any = await super()._build_session(exit_stack)
        # The SDK has no parameter for the class. The session has not begun yet.
        session.__class__ = self._session_class
        session._prepare()
        self._notify = [session._notified(None)]
        return session


def _placed(tool: types.Tool, error: Exception) -> Exception:
    """Why a tool has no JSON text, with the place if that is known."""
    try:
        json_text(wire(tool))
    except NotJsonError as placed:
        return placed
    except Exception:
        pass
    return error


def _named_version(meta: Any) -> Any:
    """The version of a FastMCP tool that a call names."""
    named = meta.get("fastmcp") if isinstance(meta, dict) else None
    return named.get("version") if isinstance(named, dict) else None


# The maximum number of pages of one list; the guard has the same.
_PAGES = 200
# For a session that was not initialised: the newest version with a handshake.
_VERSION = "2025-11-25"
