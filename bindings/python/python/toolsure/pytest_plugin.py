"""A plug-in of pytest: the tools of a server keep their contracts, one test for each tool.

    from toolsure.pytest_plugin import contracts
    from my_server import server

    test_tools = contracts(server)

pytest finds the plug-in by itself where this package is installed. It does nothing for modules without `contracts`.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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


def contracts(source: Any, *, lint: Optional[Level] = "error", profiles: Iterable[str] = ()) -> Contracts:
    """Tests for the tools of a server: assign it to a name in a test module.

    `source` is a FastMCP server, a server of the official SDK, a function that returns one, a listing, or the path of
    a file with one, from the folder of the test module. Each tool must be usable (`toolsure.check`), and have no
    finding of `toolsure.lint` of the level `lint` or worse; with `None`, there is no lint.
    """
    if lint is not None and lint not in _LEVELS:
        raise ValueError(f"lint must be one of {', '.join(_LEVELS)}, or None")
    return Contracts(source, lint, tuple(profiles))


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

        listing = _listing(self.contracts.source, self.path.parent)
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
        for index, tool in enumerate(tools):
            of_tool = [one for one in found if one.tool == index]
            yield ToolItem.from_parent(self, name=tool.name or f"tool {index}", tool=tool, findings=of_tool)


class ContractBroken(Exception):
    """What is wrong with a tool."""


class ToolItem(pytest.Item):
    """The test of one tool."""

    def __init__(self, *, tool: Optional[ToolCheck], findings: list[LintFinding], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.tool = tool
        self.findings = findings

    def runtest(self) -> None:
        """Fails with all faults and findings."""
        findings = []
        if self.tool is not None:
            findings = [one for one in self.tool.findings if one.severity == "error"]
        # Lint finds again what the check of the tool has found.
        findings += [one for one in self.findings if one not in findings]
        lines = [_line(f"{one.severity} {one.code} {one.name}", one.pointer, one.message, one.help) for one in findings]
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


def _line(code: str, pointer: str, message: str, help: Optional[str]) -> str:
    place = f" (at {pointer})" if pointer else ""
    return f"  {code}: {message}{place}" + (f"\n    {help}" if help else "")


def _listing(source: Any, folder: pathlib.Path) -> Any:
    """The listing of any source."""
    if isinstance(source, (str, pathlib.Path)):
        return (folder / source).read_bytes()
    if isinstance(source, (dict, list, tuple, bytes)):
        return source
    kinds = {base.__module__.partition(".")[0] for base in type(source).__mro__}
    if "fastmcp" in kinds:
        import fastmcp

        return _run(_tools(fastmcp.Client(source)))
    if "mcp" in kinds:
        import mcp

        return _run(_tools(mcp.Client(source)))
    if callable(source):
        return _listing(source(), folder)
    raise TypeError(f"contracts() does not take a {type(source).__name__}")


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
