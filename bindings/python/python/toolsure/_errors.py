"""The exceptions. The extension module makes them, with the arguments that it needs.

All can be pickled and copied with their members, also between versions: a member that the other version does not have
is left out, and one that it lacks has its default.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional, Union

if TYPE_CHECKING:
    # Thirty dataclasses, which take longer to import than everything else.
    from .kinds import Kind


class ToolsureError(Exception):
    """Base class of what this package raises, except for wrong arguments of a function."""

    def __init__(self, message: str = "", **members: Any) -> None:
        super().__init__(message)
        self.__dict__.update(members)

    @property
    def message(self) -> str:
        """What is wrong, in one line or a few."""
        return str(self.args[0]) if self.args else ""


class SchemaError(ToolsureError, ValueError):
    """A schema does not compile."""

    #: A stable code, such as `unresolved-ref` or `limit`.
    code: str = ""
    #: The location in the schema, as a JSON pointer.
    schema_path: str = ""
    #: The URI of the document that has the location; empty for the schema itself.
    document: str = ""
    #: The location in bytes, if the schema was given as text.
    offset: Optional[int] = None
    #: How to fix it.
    help: Optional[str] = None
    #: The limit that was reached, such as `limits.depth`.
    setting: Optional[str] = None
    #: The document that a reference leads to, if it is not in `documents`.
    denied_uri: Optional[str] = None

    def __str__(self) -> str:
        place = f" (at {self.schema_path})" if self.schema_path else ""
        return f"{self.message}{place}" + (f"; {self.help}" if self.help else "")


class UndecidedError(ToolsureError, RuntimeError):
    """A limit was reached before the verdict: the value is neither valid nor invalid."""

    #: The limit that can be raised, such as `limits.fuel`, if there is one.
    setting: Optional[str] = None


class NotJsonError(ToolsureError, ValueError):
    """A value that JSON cannot express (a set, NaN, a name that is not a `str`), or a text that is not JSON."""

    #: The location in a Python value, as a JSON pointer; `None` for a text.
    instance_path: Optional[str] = None
    #: The location in a text, in bytes; `None` for a value.
    offset: Optional[int] = None

    def __str__(self) -> str:
        return f"{self.message} (at {self.instance_path})" if self.instance_path else self.message


class _Incomplete:
    """The members of an error that stands for the errors that are not listed."""

    message = "more errors may follow: a limit was reached before the list was complete"
    instance_path = schema_path = absolute_schema_path = keyword = ""
    property_name = start = end = instance = keyword_value = None
    is_masked = False
    path = ()

    @property
    def kind(self) -> Kind:
        from .kinds import Incomplete

        return Incomplete()


class _Members:
    """The members of an error that was pickled or copied."""

    def __init__(self, members: dict[str, Any]) -> None:
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(_Incomplete(), name, None)

    @property
    def instance(self) -> Any:
        return _loaded(self.__dict__.get("instance_json"))

    @property
    def keyword_value(self) -> Any:
        return _loaded(self.__dict__.get("keyword_json"))


def _loaded(text: str | None) -> Any:
    return None if text is None else json.loads(text)


_COPIED = (
    "message",
    "instance_path",
    "property_name",
    "schema_path",
    "absolute_schema_path",
    "keyword",
    "kind",
    "start",
    "end",
    "path",
    "is_masked",
)


class ValidationError(ToolsureError, ValueError):
    """A value violates a keyword of the schema.

    The exception that `validate` raises is the first error, and has all in `errors`.
    """

    _finding: Any
    _others: tuple[Any, ...] = ()
    #: Whether `errors` has all errors; `False` if a limit cut the list short.
    complete: bool = True

    def __init__(self, finding: Any, others: tuple[Any, ...] = (), complete: bool = True) -> None:
        # The members stay in the finding until they are read: most errors are made to be counted or dropped.
        self._finding = _Members({"message": finding}) if isinstance(finding, str) else finding
        if others or not complete:
            self._others = others
            self.complete = complete

    @property
    def message(self) -> str:
        """What was expected, what was found, and where, in one line."""
        return str(self._finding.message)

    @property
    def instance_path(self) -> str:
        """The location of the value, as a JSON pointer."""
        value: str = self._finding.instance_path
        return value

    @property
    def property_name(self) -> Optional[str]:
        """The member's name, if the name violates the keyword (`propertyNames`)."""
        value: Optional[str] = self._finding.property_name
        return value

    @property
    def schema_path(self) -> str:
        """The way to the keyword through references, as a JSON pointer."""
        value: str = self._finding.schema_path
        return value

    @property
    def absolute_schema_path(self) -> str:
        """The location of the keyword: the URI of its schema with a JSON pointer as fragment."""
        value: str = self._finding.absolute_schema_path
        return value

    @property
    def keyword(self) -> str:
        """The keyword. Empty for a `false` schema at the root."""
        value: str = self._finding.keyword
        return value

    @property
    def kind(self) -> Kind:
        """What is wrong, as a dataclass of `toolsure.kinds`, for `match`."""
        value: Kind = self._finding.kind
        return value

    @property
    def start(self) -> Optional[int]:
        """Where the value begins in JSON text, in bytes; `None` for a Python value."""
        value: Optional[int] = self._finding.start
        return value

    @property
    def end(self) -> Optional[int]:
        """Where the value ends in JSON text, in bytes; `None` for a Python value."""
        value: Optional[int] = self._finding.end
        return value

    @property
    def errors(self) -> tuple[ValidationError, ...]:
        """All errors, this one first."""
        # Not kept: an error that holds itself is freed by the garbage collector only.
        return (self, *map(ValidationError, self._others))

    # The names that `jsonschema` has for the same.

    @property
    def path(self) -> deque[Union[str, int]]:
        """As in `jsonschema`: the location of the value, as names and indices."""
        return deque(self._finding.path)

    absolute_path = path

    @property
    def validator(self) -> str:
        """As in `jsonschema`: the keyword."""
        return self.keyword

    @property
    def validator_value(self) -> Any:
        """As in `jsonschema`: the keyword's value in the schema; `None` if it is in another document."""
        return self._finding.keyword_value

    @property
    def instance(self) -> Any:
        """As in `jsonschema`: the value at `instance_path`, as it is now."""
        return self._finding.instance

    @property
    def args(self) -> tuple[Any, ...]:  # type: ignore[override]
        """The message, as in other exceptions."""
        return (self.message,)

    def __str__(self) -> str:
        more = len(self._others)
        return self.message if more == 0 else f"{self.message}, and {more} more"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        extra = {name: value for name, value in self.__dict__.items() if name not in ("_finding", "_others")}
        return _restored, (type(self), _copied(self._finding), tuple(map(_copied, self._others))), extra


def _copied(finding: Any) -> dict[str, Any]:
    """The members of a finding, as plain data."""
    members = {name: getattr(finding, name) for name in _COPIED}
    if not members["is_masked"]:
        members["instance_json"] = _text(finding.instance)
    members["keyword_json"] = _text(finding.keyword_value)
    return members


def _text(value: Any) -> str | None:
    from ._toolsure import json_text

    try:
        return json.dumps(value) if isinstance(value, str) else json_text(value)
    except ToolsureError:
        # The value has changed since.
        return None


def _restored(kind: type[ValidationError], finding: dict[str, Any], others: tuple[dict[str, Any], ...]) -> ValidationError:
    return kind(_Members(finding), tuple(map(_Members, others)))


class ContractError(ToolsureError, RuntimeError):
    """A tool's definition is malformed, or a call or a result breaks its tool's contract.

    The SDK raises `RuntimeError` for results that do not match, so this is one.
    """

    #: A stable code, such as `arguments-invalid`; for a schema that does not compile, the code of `SchemaError`.
    code: str = ""
    #: The location in the tool's definition, if one of its schemas does not compile.
    schema_path: str = ""
    #: The tool's name, if it is known.
    tool: Optional[str] = None
    #: The violations, if a schema was not matched.
    errors: tuple[ValidationError, ...] = ()
    #: Whether `errors` has all violations.
    complete: bool = True
    #: The limit that was reached, if that is the reason.
    setting: Optional[str] = None


def best_match(errors: Iterable[ValidationError]) -> Optional[ValidationError]:
    """As in `jsonschema`: the error that probably says most, or `None` if there is none.

    It is about the value closest to the root; of errors about one value, one about a union says least.
    """
    found = list(errors)
    # What says that there may be more is no error of the value.
    said = [error for error in found if error.keyword] or found
    return min(said, key=_depth, default=None)


def _depth(error: ValidationError) -> tuple[int, bool]:
    return error.instance_path.count("/"), error.keyword in ("anyOf", "oneOf", "")
