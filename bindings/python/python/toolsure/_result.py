"""The answers of checks, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

from ._errors import ValidationError

Verdict = Literal["valid", "invalid", "undecided"]


@dataclass(frozen=True)
class Result:
    """The answer of `Validator.check`."""

    verdict: Verdict
    #: What is wrong, if the verdict is `invalid`.
    errors: tuple[ValidationError, ...] = ()
    #: Whether `errors` has all errors; `False` if a limit was reached.
    complete: bool = True
    #: The errors that matter in a few lines, or the limit that was reached; empty if the value is valid.
    message: str = ""
    #: The limit that can be raised, if the verdict is `undecided`.
    setting: Optional[str] = None

    @property
    def ok(self) -> bool:
        """Whether the verdict is `valid`."""
        return self.verdict == "valid"


@dataclass(frozen=True)
class Annotation:
    """What a keyword says about a value that matches its schema."""

    #: The location of the value, as a JSON pointer.
    instance_path: str
    keyword: str
    #: The subschema that has the keyword: the URI of its document with a JSON pointer as fragment.
    absolute_schema_path: str
    #: The keyword's value.
    value: Any


@dataclass(frozen=True)
class Decision:
    """The answer of the checks of `ToolContract`."""

    #: Whether the call or the result may pass.
    ok: bool
    #: What was found, if it may: `valid`, `no-output-schema`, `error-result`, `input-required`, `task`,
    #: `era-without-output` or `not-checked`.
    checked: Optional[str] = None
    #: A stable code of the reason, if it may not, such as `arguments-invalid`.
    code: Optional[str] = None
    #: The reason, for people and models.
    message: str = ""
    #: The violations, if a schema was not matched.
    errors: tuple[ValidationError, ...] = ()
    #: Whether `errors` has all violations; `False` if a limit was reached.
    complete: bool = True
    #: The limit that can be raised, if one was reached.
    setting: Optional[str] = None
    #: The answer of a server that refuses: a result of the tool, …
    result: Optional[dict[str, Any]] = None
    #: … or the `error` of a JSON-RPC answer.
    error: Optional[dict[str, Union[int, str]]] = None
