"""Lint, diff and check of tool listings, as functions that return data.

A listing is `{"tools": [...]}`, a list of tools, an answer to `tools/list`, or JSON text of one of these. Prefer
text if you have it: a `dict` no longer has duplicate members.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union

from . import _toolsure

Listing = Union[Mapping[str, Any], Sequence[Any], str, bytes, bytearray]
Severity = Literal["note", "warning", "error"]
Class = Literal["compatible", "warning", "unknown", "breaking"]


@dataclass(frozen=True)
class Edit:
    """A range of bytes in the tool's text, and the text that replaces it."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Fix:
    """Edits that belong together. A safe fix changes no verdict."""

    safe: bool
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class LintFinding:
    """A place that breaks a rule. `tool` is the index in the listing; `None` if it is about the listing itself."""

    code: str
    name: str
    severity: Severity
    tool: int | None
    pointer: str
    message: str
    help: str | None
    fix: Fix | None


@dataclass(frozen=True)
class LintReport:
    """The findings, worst first; `more` others are only counted. `tokens` estimates each tool's size for a model."""

    findings: tuple[LintFinding, ...]
    more: int
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Change:
    """One change. `witness` is a value that proves that it breaks callers, as JSON text."""

    class_: Class
    side: Literal["tool", "input", "output"]
    aspect: Literal["contract", "words"]
    place: str
    message: str
    witness: str | None


@dataclass(frozen=True)
class ToolChange:
    """The changes of one tool, worst first."""

    name: str
    class_: Class
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class DiffReport:
    """The changes between two listings; `class_` is the worst, or `None` if nothing changed."""

    class_: Class | None
    same: int
    tools: tuple[ToolChange, ...]


@dataclass(frozen=True)
class CheckFault:
    """Why a tool cannot be used; `pointer` is the location in the tool, a JSON pointer."""

    code: str
    pointer: str
    message: str
    help: str | None


@dataclass(frozen=True)
class ToolCheck:
    """The check of one tool, which can be used if there are no faults."""

    name: str | None
    faults: tuple[CheckFault, ...]
    warnings: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether there are no faults."""
        return not self.faults


def lint(
    listing: Listing,
    *,
    profiles: Iterable[str] = (),
    allow: Iterable[str] = (),
    deny: Iterable[str] = (),
) -> LintReport:
    """Finds legal but harmful parts of a listing.

    `profiles` are names such as `openai` and `strict`, whose rules are turned on too; `allow` turns rules off and
    `deny` makes them errors, by code or name.
    """
    found = _toolsure.lint(listing, list(profiles), list(allow), list(deny))
    findings = []
    for one in found["findings"]:
        fix = one.pop("fix")
        if fix is not None:
            fix = Fix(safe=fix["safe"], edits=tuple(Edit(*edit) for edit in fix["edits"]))
        findings.append(LintFinding(**one, fix=fix))
    return LintReport(findings=tuple(findings), more=found["more"], tokens=tuple(found["tokens"]))


def diff(old: Listing, new: Listing) -> DiffReport:
    """Compares two listings, and reports whether the new one breaks callers of the old one."""
    found = _toolsure.diff(old, new)
    tools = tuple(
        ToolChange(
            name=tool["name"],
            class_=tool["class_"],
            changes=tuple(Change(**change) for change in tool["changes"]),
        )
        for tool in found["tools"]
    )
    return DiffReport(class_=found["class_"], same=found["same"], tools=tools)


def check(listing: Listing) -> list[ToolCheck]:
    """Checks each tool of a listing, and reports whether it can be used, or why not."""
    return [
        ToolCheck(
            name=tool["name"],
            faults=tuple(CheckFault(*fault) for fault in tool["faults"]),
            warnings=tuple(tool["warnings"]),
        )
        for tool in _toolsure.check(listing)
    ]
