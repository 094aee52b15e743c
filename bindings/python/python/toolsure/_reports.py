"""What is found in listings of tools, as functions that return data, instances of schemas, and tools for model providers.

A listing is `{"tools": [...]}`, a list of tools, an answer to `tools/list`, or JSON text of one of these. Prefer
text if you have it: a `dict` no longer has duplicate members.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

from . import _toolsure
from ._result import Decision

Listing = Union[Mapping[str, Any], Sequence[Any], str, bytes, bytearray, memoryview]
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
    pointer: str
    message: str
    tool: Optional[int] = None
    help: Optional[str] = None
    #: The setting that raises the limit that a schema is over.
    setting: Optional[str] = None
    #: The range in the tool's text, in bytes.
    start: Optional[int] = None
    end: Optional[int] = None
    fix: Optional[Fix] = None


@dataclass(frozen=True)
class LintReport:
    """The findings, worst first; `more` others are only counted. `tokens` estimates each tool's size for a model."""

    findings: tuple[LintFinding, ...]
    more: int
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class ToolCheck:
    """The check of one tool. Its verdict is `refused` if it cannot be used."""

    name: Optional[str]
    verdict: Literal["ok", "warned", "refused"]
    findings: tuple[LintFinding, ...]

    @property
    def ok(self) -> bool:
        """Whether the tool can be used."""
        return self.verdict != "refused"


@dataclass(frozen=True)
class CheckReport:
    """The check of each tool, and the findings on the listing itself."""

    tools: tuple[ToolCheck, ...]
    findings: tuple[LintFinding, ...]
    more: int


@dataclass(frozen=True)
class Change:
    """One change. `witness` is a value that proves that it breaks callers; `None` if there is none."""

    class_: Class
    #: What happened, by a stable name such as `schema-narrowed`.
    kind: str
    category: Literal["tool", "schema", "consent", "words", "other"]
    side: Literal["tool", "input", "output"]
    aspect: Literal["contract", "words"]
    place: str
    message: str
    witness: Any = None
    before: Optional[str] = None
    after: Optional[str] = None
    setting: Optional[str] = None


@dataclass(frozen=True)
class ToolChange:
    """The changes of one tool, worst first."""

    name: str
    index: int
    class_: Class
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class DiffReport:
    """The changes between two listings; `class_` is the worst, or `None` if nothing changed."""

    class_: Optional[Class]
    same: int
    tools: tuple[ToolChange, ...]


@dataclass(frozen=True)
class Step:
    """A change of a schema for a provider."""

    kind: str
    pointer: str
    detail: str
    what: str
    why: str


@dataclass(frozen=True)
class ProjectedTool:
    """A tool as a provider gets it. If it cannot be projected, `refused` says why, and the rest is absent."""

    index: int
    name: Optional[str]
    published: Optional[str] = None
    #: How the calls that the projected schema accepts relate to those that the tool accepts.
    relation: Optional[Literal["equal", "wider", "narrower", "wider-and-narrower", "undecided"]] = None
    #: Arguments that only the projected schema accepts, and that only the tool accepts.
    wider: Any = None
    narrower: Any = None
    #: What is not known, if the relation is undecided.
    why: Optional[str] = None
    steps: tuple[Step, ...] = ()
    more_steps: int = 0
    refused: Optional[str] = None


@dataclass(frozen=True)
class ProviderCall:
    """A call of a model, as one of the server's tool, and the decision on its arguments."""

    name: str
    arguments: Any
    decision: Decision


class Projection:
    """The tools of a listing as a provider gets them, and the way back. Made by `project`."""

    #: The reader.
    for_: str
    tools: tuple[ProjectedTool, ...]
    #: The tools to send: in the form of MCP, or in the one that `form` names.
    definitions: list[Any]

    def __init__(self, tools: _toolsure.ProjectedTools) -> None:
        self._tools = tools
        found = json.loads(tools.report())
        self.for_ = found["for"]
        self.definitions = found["definitions"]
        self.tools = tuple(
            ProjectedTool(**_snake(tool | {"steps": tuple(Step(**step) for step in tool.get("steps", ()))}))
            for tool in found["tools"]
        )

    def call(self, name: str, arguments: Any = None) -> ProviderCall:
        """Maps a call of the model back to one of the server's tool, and checks it against the original schema."""
        return ProviderCall(*self._tools.call(name, {} if arguments is None else arguments))


@dataclass(frozen=True)
class ArgumentDiagnosis:
    """What there is to say about an argument schema."""

    severity: Severity
    code: str
    pointer: str
    message: str


@dataclass(frozen=True)
class ArgumentSchemaReport:
    """The JSON Schema of an argument schema; without one if there is an error among the diagnoses."""

    diagnoses: tuple[ArgumentDiagnosis, ...]
    version: Optional[str] = None
    declared: Optional[bool] = None
    schema: Optional[dict[str, Any]] = None


@dataclass(frozen=True)
class ValidInstance:
    """A value that the schema accepts. `purpose` says in words what it covers."""

    value: Any
    purpose: str


@dataclass(frozen=True)
class InvalidInstance:
    """A value that breaks one keyword of the schema."""

    value: Any
    keyword: str
    #: The location of the keyword, a JSON pointer into the schema.
    keyword_location: str
    #: The location of what is wrong, a JSON pointer into the value.
    instance_location: str
    #: The message of a validator.
    message: str


@dataclass(frozen=True)
class MissingInstance:
    """A location in the schema without an instance: a valid one that covers it, or, if `valid` is `False`, one that breaks it.

    What was left out because of the limits `valid` and `invalid` is missing, too.
    """

    location: str
    valid: bool
    #: Whether it is proved that there is none.
    impossible: bool


@dataclass(frozen=True)
class Instances:
    """Instances of a schema. `satisfiable` is `None` if it is not known whether the schema accepts any value."""

    valid: tuple[ValidInstance, ...]
    invalid: tuple[InvalidInstance, ...]
    missing: tuple[MissingInstance, ...]
    satisfiable: Optional[bool]
    #: Why no value is accepted, if that is so.
    proof: Optional[str]


def lint(
    listing: Listing,
    *,
    profiles: Iterable[str] = (),
    allow: Iterable[str] = (),
    deny: Iterable[str] = (),
    **options: Any,
) -> LintReport:
    """Finds legal but harmful parts of a listing.

    `profiles` are names such as `openai` and `strict`, whose rules are turned on too; `allow` turns rules off and
    `deny` makes them errors, by code or name. The other options are those of `Validator`.
    """
    own = {"profiles": _names(profiles), "allow": _names(allow), "deny": _names(deny)}
    found = json.loads(_toolsure.lint(listing, _options(options, own)))
    return LintReport(_findings(found["findings"]), found["more"], tuple(found["tokens"]))


def check(listing: Listing, **options: Any) -> CheckReport:
    """Checks each tool of a listing, and reports whether it can be used, or why not. The options are those of `Validator`."""
    found = json.loads(_toolsure.check(listing, _options(options)))
    tools = tuple(ToolCheck(tool["name"], tool["verdict"], _findings(tool["findings"])) for tool in found["tools"])
    return CheckReport(tools, _findings(found["findings"]), found["more"])


def diff(old: Listing, new: Listing, *, open: bool = False, partial: bool = False, **options: Any) -> DiffReport:
    """Compares two listings, and reports whether the new one breaks callers of the old one.

    With `open`, calls may have members that the schemas do not name. With `partial`, the new listing may lack tools.
    """
    found = json.loads(_toolsure.diff(old, new, _options(options, {"open": open, "partial": partial})))
    tools = tuple(
        ToolChange(tool["name"], tool["index"], tool["class"], tuple(Change(**_snake(one)) for one in tool["changes"]))
        for tool in found["tools"]
    )
    return DiffReport(found["class"], found["same"], tools)


def project(
    listing: Listing,
    for_: str,
    *,
    form: Optional[Literal["openai", "responses", "anthropic", "gemini"]] = None,
    server: Optional[str] = None,
    recursion: Optional[int] = None,
    open: bool = False,
    **options: Any,
) -> Projection:
    """Rewrites a listing so that a provider or client accepts it: `for_` is its name, such as `openai-strict`."""
    own = {"for": for_, "form": form, "server": server, "recursion": recursion, "open": open}
    return Projection(_toolsure.ProjectedTools(listing, _options(options, own)))


def argument_schema(schema: Any, *, version: Optional[str] = None) -> ArgumentSchemaReport:
    """Converts an argument schema (docs/argument-schema.md) to the JSON Schema that accepts the same arguments."""
    found = json.loads(_toolsure.argument_schema(schema, _options({}, {"version": version})))
    diagnoses = tuple(ArgumentDiagnosis(**one) for one in found.pop("diagnoses"))
    return ArgumentSchemaReport(diagnoses, **found)


def generate(
    schema: _toolsure.Schema,
    *,
    seed: int = 1,
    valid: Optional[int] = None,
    invalid: Optional[int] = None,
    objects: bool = False,
    **options: Any,
) -> Instances:
    """Makes values that a schema accepts, which cover it, and values that break one keyword each.

    A validator with the same options has checked all of them. `valid` and `invalid` are the most values of each; with
    `objects`, all valid ones are objects. The same `seed` makes the same values. The other options are those of `Validator`.
    """
    own = {"seed": seed, "valid": valid, "invalid": invalid, "objects": objects}
    found = json.loads(_toolsure.generate(schema, _options(options, own)))
    return Instances(
        tuple(ValidInstance(**one) for one in found["valid"]),
        tuple(InvalidInstance(**_snake(one)) for one in found["invalid"]),
        tuple(MissingInstance(**one) for one in found["missing"]),
        found["satisfiable"],
        found["proof"],
    )


def _names(names: Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _findings(found: list[dict[str, Any]]) -> tuple[LintFinding, ...]:
    return tuple(LintFinding(**one | {"fix": _fix(one.get("fix"))}) for one in found)


def _fix(fix: Optional[dict[str, Any]]) -> Optional[Fix]:
    return None if fix is None else Fix(fix["safe"], tuple(Edit(**edit) for edit in fix["edits"]))


def _snake(members: dict[str, Any]) -> dict[str, Any]:
    """Members under their names in Python."""
    names = {"class": "class_"}
    return {names.get(name) or re.sub("[A-Z]", lambda c: f"_{c[0].lower()}", name): value for name, value in members.items()}


def _options(options: dict[str, Any], own: Optional[dict[str, Any]] = None) -> str:
    """Options as JSON text. `None` is the default of each."""
    given = {**options, **(own or {})}
    if isinstance(given.get("formats"), bool):
        given["formats"] = "assert" if given["formats"] else "annotate"
    return json.dumps({name: value for name, value in given.items() if value is not None}, default=_plain)


def _plain(value: Any) -> Any:
    """What `json` does not write: documents as bytes, and mappings of other classes."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"an option cannot be a {type(value).__name__}")
