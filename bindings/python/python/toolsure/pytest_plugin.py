"""A plug-in of pytest: the tools of a server keep their contracts, one test for each tool.

    from toolsure.pytest_plugin import contracts
    from my_server import server

    test_tools = contracts(server)

pytest finds the plug-in by itself where this package is installed. It does nothing for modules without `contracts`.
"""

from __future__ import annotations

import json
import math
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, Optional

import pytest

if TYPE_CHECKING:
    from ._reports import LintFinding, ToolCheck

Level = Literal["note", "warning", "error"]
_LEVELS: tuple[Level, ...] = ("note", "warning", "error")


@dataclass(frozen=True)
class Contracts:
    """Tools to test. Made by `contracts`."""

    source: Any
    lint: Optional[Level]
    profiles: tuple[str, ...]
    calls: Optional[Calls] = None


@dataclass(frozen=True)
class Calls:
    """How tools are called: the options of the plan as JSON text, and whether tools that may write are called too."""

    options: str
    writes: bool


def contracts(
    source: Any,
    *,
    lint: Optional[Level] = "error",
    profiles: Iterable[str] = (),
    calls: Optional[int] = None,
    writes: bool = False,
    values: Optional[Mapping[str, Any]] = None,
) -> Contracts:
    """Tests for the tools of a server: assign it to a name in a test module.

    `source` is a FastMCP server, a server of the official SDK, a function that returns one, a listing, or the path of
    a file with one, from the folder of the test module. Each tool must be usable (`toolsure.check`), and have no
    finding of `toolsure.lint` of the level `lint` or worse; with `None`, there is no lint.

    With `calls`, each tool whose annotations have `readOnlyHint` is also called at most so many times, with valid and
    with invalid arguments, on the server in this process; an answer that breaks the contract is an error. `writes=True`
    calls the other tools too. `values` are members of the arguments, and the value that each must have.
    """
    if lint is not None and lint not in _LEVELS:
        raise ValueError(f"lint must be one of {', '.join(_LEVELS)}, or None")
    if calls is None:
        if writes or values is not None:
            raise ValueError("writes and values need calls")
        return Contracts(source, lint, tuple(profiles))
    if calls < 1:
        raise ValueError("calls must be at least 1")
    options = json.dumps({"calls": calls, "values": dict(values or {})}, allow_nan=False)
    return Contracts(source, lint, tuple(profiles), Calls(options, writes))


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> Optional[pytest.Collector]:
    """Makes the tests of a module's contracts."""
    if not isinstance(obj, Contracts):
        return None
    made: pytest.Collector = ContractCollector.from_parent(collector, name=name, contracts=obj)
    return made


class ContractCollector(pytest.Collector):
    """The tests of one server."""

    def __init__(self, *, contracts: Contracts, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.contracts = contracts

    def collect(self) -> Iterator[pytest.Item]:
        """One test for each tool, and one for findings about the whole listing."""
        from . import check, lint

        calls = self.contracts.calls
        source = _made(self.contracts.source)
        if calls is not None and _client(source) is None:
            raise self.CollectError("calls needs a server, not a listing")
        listing = _listing(source, self.path.parent)
        tools = check(listing).tools
        if not tools:
            raise self.CollectError("the server lists no tools")
        found: list[LintFinding] = []
        if self.contracts.lint is not None:
            least = _LEVELS.index(self.contracts.lint)
            report = lint(listing, profiles=self.contracts.profiles)
            found = [one for one in report.findings if _LEVELS.index(one.severity) >= least]
        whole = [one for one in found if one.tool is None]
        if self.contracts.lint is not None and report.more:
            raise self.CollectError(f"lint found more than it lists: {report.more} findings are only counted; test fewer tools at once")
        if whole:
            yield ToolItem.from_parent(self, name="the listing", tool=None, findings=whole)
        callers = [None] * len(tools) if calls is None else _callers(source, listing, calls)
        if calls is not None and not any(callers):
            self.warn(pytest.PytestWarning("no tool is called: none has the annotation readOnlyHint; writes=True calls all"))
        for index, tool in enumerate(tools):
            of_tool = [one for one in found if one.tool == index]
            yield ToolItem.from_parent(self, name=tool.name or f"tool {index}", tool=tool, findings=of_tool, caller=callers[index])


class ContractBroken(Exception):
    """What is wrong with a tool."""


class ToolItem(pytest.Item):
    """The test of one tool."""

    def __init__(self, *, tool: Optional[ToolCheck], findings: list[LintFinding], caller: Optional[Caller] = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.tool = tool
        self.findings = findings
        self.caller = caller

    def runtest(self) -> None:
        """Fails with all faults and findings."""
        findings = []
        if self.tool is not None:
            findings = [one for one in self.tool.findings if one.severity == "error"]
        # Lint finds again what the check of the tool has found.
        findings += [one for one in self.findings if one not in findings]
        lines = [_line(f"{one.severity} {one.code} {one.name}", one.pointer, one.message, one.help) for one in findings]
        if self.caller is not None and self.tool is not None and self.tool.ok:
            lines += self.caller.faults()
        if lines:
            raise ContractBroken("\n".join(lines))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The faults, without a traceback through this module."""
        if isinstance(excinfo.value, ContractBroken):
            return f"tool `{self.name}` breaks its contract:\n{excinfo.value}" if self.tool else str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[pathlib.Path, int, str]:
        """Where the test is."""
        return self.path, 0, f"contract of {self.name}"


@dataclass(frozen=True)
class Caller:
    """Calls one tool of a server."""

    source: Any
    name: str
    #: The definition of the tool, and the options of the plan, as JSON text.
    tool: str
    options: str

    def faults(self) -> list[str]:
        """The faults of the answers; one that comes again is left out."""
        from . import _toolsure

        try:
            plan = json.loads(_toolsure.plan(self.tool, self.options))
        except ValueError as error:
            return [f"  error: no calls can be made: {error}"]
        faults: list[str] = _run(self._call(plan))
        return faults

    async def _call(self, plan: list[dict[str, Any]]) -> list[str]:
        lines = []
        known = set()
        async with _client(self.source) as client:
            version = client.session.protocol_version or _VERSION
            for call in plan:
                arguments = _arguments(call["arguments"])
                if arguments is None:
                    continue
                for one in self._judge(version, call, await _answer(client, self.name, arguments)):
                    # Of these, each place is a fault of its own.
                    is_placed = one["code"] in ("accepts-invalid", "result-schema", "result-shape")
                    key = (one["code"], one["pointer"], one["message"]) if is_placed else one["code"]
                    # In its own process, a server's exceptions are those of its author.
                    is_error = one["severity"] == "error" or one["code"] == "uncaught-exception"
                    if not is_error or key in known:
                        continue
                    known.add(key)
                    lines.append(_line(f"error {one['code']}", one["pointer"], one["message"], f"arguments: {_short(call['arguments'])}"))
                if "hang" in known:
                    # Each further call may take as long.
                    break
        return lines

    def _judge(self, version: str, call: dict[str, Any], answer: dict[str, Any]) -> list[dict[str, Any]]:
        from . import _toolsure

        try:
            text = json.dumps(answer, allow_nan=False, ensure_ascii=False)
            # Half a surrogate pair has no encoding.
            text.encode()
        except (TypeError, ValueError) as error:
            return [{"code": "result-shape", "severity": "error", "pointer": "", "message": f"the answer is not JSON: {getattr(error, 'reason', error)}"}]
        found: list[dict[str, Any]] = json.loads(_toolsure.judge(self.tool, version, json.dumps(call), text))
        return found


def _callers(source: Any, listing: list[Any], calls: Calls) -> list[Optional[Caller]]:
    """For each tool, what calls it; `None` if it may not be called."""
    from ._wire import wire

    def caller(tool: dict[str, Any]) -> Optional[Caller]:
        hints = tool.get("annotations") or {}
        if not calls.writes and hints.get("readOnlyHint") is not True:
            return None
        return Caller(source, tool["name"], json.dumps(tool), calls.options)

    return [caller(wire(tool)) for tool in listing]


async def _answer(client: Any, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The answer to a call: its result as the server sent it, or its error; neither if there is none in time.

    The clients' own methods for calls raise for a result that does not match the output schema.
    """
    import anyio
    import mcp
    import mcp_types as types
    from pydantic import TypeAdapter

    request = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=arguments))
    try:
        with anyio.fail_after(_SECONDS):
            return {"result": await client.session.send_request(request, TypeAdapter(dict[str, Any]))}
    except TimeoutError:
        return {}
    except mcp.MCPError as error:
        return {"error": {"code": error.code, "message": error.message}}
    except Exception as error:
        return {"error": {"code": _INTERNAL_ERROR, "message": f"{type(error).__name__}: {error}"}}


def _arguments(text: str) -> Optional[dict[str, Any]]:
    """Arguments as Python values; `None` if they have half a surrogate pair, or a number that would be rounded."""
    try:
        arguments: dict[str, Any] = json.loads(text, parse_float=_exact)
        json.dumps(arguments, ensure_ascii=False).encode()
    except ValueError:
        return None
    return arguments


def _exact(text: str) -> float:
    number = float(text)
    if not math.isfinite(number) or Decimal(repr(number)) != Decimal(text):
        raise ValueError(text)
    return number


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def _line(code: str, pointer: str, message: str, help: Optional[str]) -> str:
    place = f" (at {pointer})" if pointer else ""
    return f"  {code}: {message}{place}" + (f"\n    {help}" if help else "")


def _made(source: Any) -> Any:
    """The server or the listing that a source is, or that it returns."""
    is_known = isinstance(source, (str, pathlib.Path, dict, list, tuple, bytes)) or _client(source) is not None
    return source if is_known or not callable(source) else _made(source())


def _client(source: Any) -> Any:
    """A client of a server in this process; `None` if the source is no server."""
    kinds = {base.__module__.partition(".")[0] for base in type(source).__mro__}
    if "fastmcp" in kinds:
        import fastmcp

        return fastmcp.Client(source)
    if "mcp" in kinds:
        import mcp

        return mcp.Client(source)
    return None


def _listing(source: Any, folder: pathlib.Path) -> Any:
    """The listing of a server, a file, or a listing."""
    if isinstance(source, (str, pathlib.Path)):
        return (folder / source).read_bytes()
    if isinstance(source, (dict, list, tuple, bytes)):
        return source
    client = _client(source)
    if client is None:
        raise TypeError(f"contracts() does not take a {type(source).__name__}")
    return _run(_tools(client))


def _run(work: Any) -> Any:
    """Runs asynchronous work in a thread, which leaves the event loops of other tests as they are."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def _tools(client: Any) -> list[Any]:
    """All pages of a server's list."""
    async with client:
        if hasattr(client, "list_tools_mcp"):
            list_page = client.list_tools_mcp
        else:
            list_page = client.list_tools
        tools: list[Any] = []
        cursor: Optional[str] = None
        seen: set[Optional[str]] = set()
        while cursor not in seen:
            seen.add(cursor)
            page = await (list_page() if cursor is None else list_page(cursor=cursor))
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        return tools


# The most seconds that a call may take.
_SECONDS = 30
# The most characters of the arguments in a failure.
_SHOWN = 300
# JSON-RPC's code for it.
_INTERNAL_ERROR = -32603
# For a session without a handshake, as the SDK does.
_VERSION = "2025-11-25"
