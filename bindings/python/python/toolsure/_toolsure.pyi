from collections.abc import Iterator, Mapping
from typing import Any, Literal, Union, final

from ._errors import ValidationError

JsonText = Union[bytes, bytearray, str]
Schema = Union[Mapping[str, Any], bool, JsonText]
Formats = Union[bool, Literal["annotate", "assert", "assert-with-numbers"]]

VERSION: str

@final
class Validator:
    """A compiled schema. Threads can share one."""

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
        """Whether a Python value matches the schema."""

    def validate(self, instance: Any) -> None:
        """Raises `ValidationError` if a Python value does not match the schema."""

    def iter_errors(self, instance: Any) -> Iterator[ValidationError]:
        """Yields an error for each way in which a Python value does not match the schema."""

    def is_valid_json(self, text: JsonText) -> bool:
        """Whether JSON text matches the schema."""

    def validate_json(self, text: JsonText) -> None:
        """Raises `ValidationError` if JSON text does not match the schema."""

    def iter_errors_json(self, text: JsonText) -> Iterator[ValidationError]:
        """Yields an error for each way in which JSON text does not match the schema."""

    @property
    def warnings(self) -> list[str]:
        """The parts of the schema that lenient compilation ignored, one line for each."""

@final
class ToolContract:
    """The contract of a tool, from its definition. Threads can share one."""

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
        """Raises `ContractError` if the arguments of a call break the contract. `None` counts as `{}`."""

    def check_arguments_json(self, arguments: JsonText) -> None:
        """Raises `ContractError` if the arguments of a call, as JSON text, break the contract."""

    def check_result(self, result: Mapping[str, Any] | JsonText, *, protocol_version: str = "2025-11-25") -> None:
        """Raises `ContractError` if a result of `tools/call`, the object as on the wire, breaks the contract."""

def lint(listing: Any, profiles: list[str], allow: list[str], deny: list[str]) -> dict[str, Any]: ...
def diff(old: Any, new: Any) -> dict[str, Any]: ...
def check(listing: Any) -> list[dict[str, Any]]: ...
