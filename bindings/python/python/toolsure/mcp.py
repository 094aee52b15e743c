"""Checks of MCP tools: of calls before they are sent or run, and of results before they are used.

`ToolContract` needs only this package. `ClientSession` and `Client` need the official SDK (`mcp` 2.x), and
`ContractMiddleware`, `checked_tool` and `CheckedTransport` need FastMCP (4.x); each is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import ContractError
from ._result import Decision
from ._toolsure import ToolContract

if TYPE_CHECKING:
    from ._fastmcp import CheckedTransport as CheckedTransport
    from ._fastmcp import ContractMiddleware as ContractMiddleware
    from ._fastmcp import checked_tool as checked_tool
    from ._session import Client as Client
    from ._session import ClientSession as ClientSession

__all__ = [
    "CheckedTransport",
    "Client",
    "ClientSession",
    "ContractError",
    "ContractMiddleware",
    "Decision",
    "ToolContract",
    "checked_tool",
]

# The module that has it, and the extra of this distribution that brings what that module imports.
_LATER = {
    "CheckedTransport": ("._fastmcp", "fastmcp"),
    "Client": ("._session", "mcp"),
    "ClientSession": ("._session", "mcp"),
    "ContractMiddleware": ("._fastmcp", "fastmcp"),
    "checked_tool": ("._fastmcp", "fastmcp"),
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, extra = _LATER[name]
    try:
        return getattr(import_module(module, __package__), name)
    except ModuleNotFoundError as missing:
        # Nothing is uploaded to a registry yet, and what had the name there would be somebody else's.
        message = (
            f"{__name__}.{name} needs more ({missing}): install toolsure-validator with its extra `{extra}`; nothing is uploaded "
            f"to a registry yet, so in a clone of the repository: pip install './bindings/python[{extra}]'"
        )
        raise ModuleNotFoundError(message, name=missing.name) from missing
