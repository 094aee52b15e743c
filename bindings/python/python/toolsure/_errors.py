"""The exceptions. The extension module makes them, with the arguments that it needs."""

from __future__ import annotations

from .kinds import Kind


class ToolsureError(Exception):
    """Base class of what this package raises, except for wrong arguments of a function."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SchemaError(ToolsureError, ValueError):
    """A schema does not compile.

    `code` is stable, such as `unresolved-ref`; `pointer` is the location in the schema, a JSON pointer; `document` is
    the URI of the document that has it (empty for the schema itself); `help` says how to fix it, or is `None`.
    """

    def __init__(self, message: str, code: str, pointer: str, document: str, help: str | None) -> None:
        super().__init__(message)
        self.code = code
        self.pointer = pointer
        self.document = document
        self.help = help

    def __str__(self) -> str:
        place = f" (at {self.pointer})" if self.pointer else ""
        return f"{self.message}{place}" + (f"; {self.help}" if self.help else "")


class ValidationError(ToolsureError, ValueError):
    """A value violates a keyword of the schema.

    `instance_path` and `schema_path` are JSON pointers: to the value, and along the evaluation to the keyword,
    references included. `kind` is a dataclass of `toolsure.kinds`, for `match`. The exception that `validate` raises
    has all errors in `errors`, itself first, and `complete` is `False` if a limit cut them short.
    """

    def __init__(
        self,
        message: str,
        instance_path: str,
        schema_path: str,
        keyword: str,
        kind: Kind | None,
        absolute_schema_path: str,
        property_name: str | None,
    ) -> None:
        super().__init__(message)
        self.instance_path = instance_path
        self.schema_path = schema_path
        self.keyword = keyword
        self.kind = kind
        self.absolute_schema_path = absolute_schema_path
        self.property_name = property_name
        self.errors: tuple[ValidationError, ...] = (self,)
        self.complete = True

    def __str__(self) -> str:
        more = len(self.errors) - 1
        return self.message if more == 0 else f"{self.message}, and {more} more"


class Undecided(ToolsureError):
    """A limit was reached before the verdict: neither valid nor invalid.

    `setting` is the limit that can be raised, such as `limits.fuel`, or `None`.
    """

    def __init__(self, message: str, setting: str | None) -> None:
        super().__init__(message)
        self.setting = setting


class NotJson(ToolsureError, ValueError):
    """A value that JSON cannot express (a set, NaN, a key that is not a `str`), or a text that is not JSON.

    `pointer` is the location in a Python value; `offset` is the location in a text, in bytes.
    """

    def __init__(self, message: str, pointer: str | None, offset: int | None = None) -> None:
        super().__init__(message)
        self.pointer = pointer
        self.offset = offset

    def __str__(self) -> str:
        return f"{self.message} (at {self.pointer})" if self.pointer else self.message


class ContractError(ToolsureError):
    """A tool definition is malformed, or a call or a result breaks its tool's contract.

    `code` is stable, such as `arguments-invalid`; `errors` has the violations if a schema was not matched.
    """

    def __init__(self, message: str, code: str, tool: str | None, errors: tuple[ValidationError, ...]) -> None:
        super().__init__(message)
        self.code = code
        self.tool = tool
        self.errors = errors
