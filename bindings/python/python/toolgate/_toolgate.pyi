from collections.abc import Iterator, Mapping
from typing import Any, Literal, Union, final

from ._errors import ValidationError

JsonText = Union[bytes, bytearray, str]
Schema = Union[Mapping[str, Any], bool, JsonText]
Formats = Union[bool, Literal["annotate", "assert", "assert-with-numbers"]]

VERSION: str

@final
class Validator:
    """A compiled schema. Any number of threads may use one."""

    def __new__(
        cls,
        schema: Schema,
        *,
        formats: Formats | None = None,
        dialect: str | None = None,
        default_dialect: str | None = None,
        strictness: Literal["strict", "lenient"] | None = None,
        content: Literal["annotate", "assert"] | None = None,
        limits: dict[str, int | str] | None = None,
        documents: dict[str, Schema] | None = None,
    ) -> Validator: ...
    def is_valid(self, instance: Any) -> bool:
        """Whether a Python value matches."""

    def validate(self, instance: Any) -> None:
        """Raises why a Python value does not match."""

    def iter_errors(self, instance: Any) -> Iterator[ValidationError]:
        """Why a Python value does not match, one error after the other."""

    def is_valid_json(self, text: JsonText) -> bool:
        """Whether JSON text matches."""

    def validate_json(self, text: JsonText) -> None:
        """Raises why JSON text does not match."""

    def iter_errors_json(self, text: JsonText) -> Iterator[ValidationError]:
        """Why JSON text does not match, one error after the other."""

    @property
    def warnings(self) -> list[str]:
        """What lenient compilation left out of the schema, a line each."""

@final
class ToolContract:
    """A tool as its server describes it. Any number of threads may use one."""

    def __new__(
        cls,
        tool: Mapping[str, Any] | JsonText,
        *,
        formats: Formats | None = None,
        limits: dict[str, int | str] | None = None,
        documents: dict[str, Schema] | None = None,
    ) -> ToolContract: ...
    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...
    def verify(self) -> None:
        """Compiles both schemas now; raises `SchemaError` if one does not compile."""

    def check_arguments(self, arguments: Mapping[str, Any] | None = None) -> None:
        """Raises why arguments may not go to the tool. `None` counts as `{}`."""

    def check_arguments_json(self, arguments: JsonText) -> None:
        """Raises why arguments given as JSON text may not go to the tool."""

    def check_result(self, result: Mapping[str, Any] | JsonText, *, protocol_version: str = "2025-11-25") -> None:
        """Raises why the result of `tools/call`, an object as on the wire, may not go to the caller."""

def lint(listing: Any, profiles: list[str], allow: list[str], deny: list[str]) -> dict[str, Any]: ...
def diff(old: Any, new: Any) -> dict[str, Any]: ...
def check(listing: Any) -> list[dict[str, Any]]: ...
