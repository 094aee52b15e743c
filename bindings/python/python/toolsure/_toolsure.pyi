from collections.abc import Iterator, Mapping
from typing import Any, Literal, Optional, Union, final

from ._errors import ValidationError
from ._result import Annotation, Decision, Result
from .kinds import Kind

JsonText = Union[bytes, bytearray, memoryview, str]
Schema = Union[Mapping[str, Any], bool, JsonText]
Formats = Union[bool, Literal["annotate", "assert", "assert-with-numbers"]]
Content = Literal["annotate", "assert"]
Strictness = Literal["strict", "lenient"]
Dialect = Literal["draft4", "draft6", "draft7", "2019-09", "2020-12"]
ChosenDialect = Union[Dialect, Literal["declared"]]
Limits = Mapping[str, Union[int, str, Mapping[str, Union[int, str]]]]
Documents = Mapping[str, Schema]
Output = Literal["flag", "basic", "detailed", "verbose", "list", "hierarchical"]
ProtocolVersion = Literal["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]

VERSION: str

@final
class Validator:
    """A compiled schema. Threads can share one."""

    def __new__(
        cls,
        schema: Schema,
        *,
        formats: Optional[Formats] = None,
        content: Optional[Content] = None,
        strictness: Optional[Strictness] = None,
        dialect: Optional[ChosenDialect] = None,
        default_dialect: Optional[Dialect] = None,
        limits: Optional[Limits] = None,
        documents: Optional[Documents] = None,
        mask: Optional[str] = None,
    ) -> Validator: ...
    def check(self, instance: Any, *, max_errors: int = 100) -> Result:
        """The verdict on a Python value, as data."""

    def check_json(self, text: JsonText, *, max_errors: int = 100) -> Result:
        """The verdict on JSON text, as data."""

    def is_valid(self, instance: Any) -> bool:
        """Whether a Python value matches the schema."""

    def is_valid_json(self, text: JsonText) -> bool:
        """Whether JSON text matches the schema."""

    def validate(self, instance: Any, *, max_errors: int = 100) -> None:
        """Raises `ValidationError` if a Python value does not match the schema."""

    def validate_json(self, text: JsonText, *, max_errors: int = 100) -> None:
        """Raises `ValidationError` if JSON text does not match the schema."""

    def iter_errors(self, instance: Any, *, max_errors: int = 100) -> ErrorIterator:
        """Yields an error for each way in which a Python value does not match the schema."""

    def iter_errors_json(self, text: JsonText, *, max_errors: int = 100) -> ErrorIterator:
        """Yields an error for each way in which JSON text does not match the schema."""

    def evaluate(self, instance: Any, output: Output = "basic") -> dict[str, Any]:
        """The result for a Python value in a standard output format."""

    def evaluate_json(self, text: JsonText, output: Output = "basic") -> dict[str, Any]:
        """The result for JSON text in a standard output format."""

    def annotations(self, instance: Any) -> tuple[Annotation, ...]:
        """What the schema says about a Python value that matches it."""

    def annotations_json(self, text: JsonText) -> tuple[Annotation, ...]:
        """What the schema says about JSON text that matches it."""

    @property
    def warnings(self) -> list[str]:
        """The parts of the schema that lenient compilation ignored, one line for each."""

@final
class ErrorIterator(Iterator[ValidationError]):
    """The errors of a value, made as they are asked for."""

    def __iter__(self) -> ErrorIterator: ...
    def __next__(self) -> ValidationError: ...
    def __length_hint__(self) -> int: ...
    @property
    def complete(self) -> bool:
        """Whether these are all errors; otherwise the last item says that the list ends before."""

@final
class Finding:
    """One violation, which `ValidationError` shows."""

    @property
    def message(self) -> str: ...
    @property
    def instance_path(self) -> str: ...
    @property
    def property_name(self) -> Optional[str]: ...
    @property
    def schema_path(self) -> str: ...
    @property
    def absolute_schema_path(self) -> str: ...
    @property
    def keyword(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def start(self) -> Optional[int]: ...
    @property
    def end(self) -> Optional[int]: ...
    @property
    def is_masked(self) -> bool: ...
    @property
    def instance(self) -> Any: ...
    @property
    def path(self) -> list[Union[str, int]]: ...
    @property
    def keyword_value(self) -> Any: ...

@final
class ToolContract:
    """The contract of a tool, from its definition. Threads can share one.

    Both schemas are compiled now. `ContractError` says what is wrong with a definition.
    """

    def __new__(
        cls,
        tool: Any,
        *,
        protocol_version: ProtocolVersion = "2026-07-28",
        strictness: Optional[Strictness] = "lenient",
        formats: Optional[Formats] = None,
        content: Optional[Content] = None,
        dialect: Optional[ChosenDialect] = None,
        default_dialect: Optional[Dialect] = None,
        limits: Optional[Limits] = None,
        documents: Optional[Documents] = None,
    ) -> ToolContract: ...
    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str:
        """The definition as JSON text, unchanged if it was given as text."""

    @property
    def protocol_version(self) -> str: ...
    def check_arguments(self, arguments: Optional[Mapping[str, Any]] = None) -> Decision:
        """The decision on the arguments of a call. `None` counts as `{}`."""

    def check_arguments_json(self, arguments: JsonText) -> Decision:
        """The decision on the arguments of a call, as JSON text."""

    def check_result(self, result: Any) -> Decision:
        """The decision on a result of `tools/call`: the object as on the wire, or an object of the SDK."""

    def check_result_json(self, result: JsonText) -> Decision:
        """The decision on a result of `tools/call`, as JSON text."""

    def validate_arguments(self, arguments: Optional[Mapping[str, Any]] = None) -> None:
        """Raises `ContractError` if the arguments of a call break the contract. `None` counts as `{}`."""

    def validate_arguments_json(self, arguments: JsonText) -> None:
        """Raises `ContractError` if the arguments of a call, as JSON text, break the contract."""

    def validate_result(self, result: Any) -> None:
        """Raises `ContractError` if a result of `tools/call` breaks the contract."""

    def validate_result_json(self, result: JsonText) -> None:
        """Raises `ContractError` if a result of `tools/call`, as JSON text, breaks the contract."""

    def repair_arguments(self, arguments: Mapping[str, Any]) -> Optional[tuple[dict[str, Any], list[str]]]:
        """Repairs arguments that do not match: the arguments that do, and a line for each edit.

        `None` if they match already, or cannot be repaired.
        """

@final
class AskedPage:
    """The state of a catalog when a page was requested."""

@final
class Catalog:
    """The tools that a client knows of its server. `now` is in seconds, of any clock that does not go back."""

    def __new__(cls, protocol_version: str, **options: Any) -> Catalog: ...
    def is_fresh(self, now: float) -> bool:
        """Whether the tools are up to date, as far as the server has reported."""

    def is_vouched_for(self, now: float) -> bool:
        """Whether the server guarantees the tools: their `ttlMs` has not expired."""

    def changed(self) -> None:
        """Records that the tools changed."""

    def ask(self) -> AskedPage:
        """Call this when a page is requested, and pass the answer to `page`."""

    def page(self, page: JsonText, cursor: Optional[str], asked: AskedPage, now: float) -> Optional[str]:
        """Records a page, the JSON text of a result of `tools/list`, and returns the cursor of the next.

        Raises `ValueError` if the page cannot be read, or the list is too long.
        """

    def incomplete(self, reason: str, now: float) -> None:
        """Uses the pages that were read, because the next could not be."""

    def contract(self, name: str) -> Optional[ToolContract]:
        """The contract of a tool; `None` if the server does not list it.

        Raises `ContractError` if the definition is malformed or does not compile, or if the tool may be in a part of
        the list that could not be read.
        """

    def names(self) -> list[str]:
        """The names of the tools."""

def json_text(value: Any) -> str: ...
def lint(listing: Any, options: str) -> str: ...
def check(listing: Any, options: str) -> str: ...
def diff(old: Any, new: Any, options: str) -> str: ...
def argument_schema(schema: Any, options: str) -> str: ...
def generate(schema: Any, options: str) -> str: ...
def plan(tool: str, options: str) -> str: ...
def judge(tool: str, version: str, call: str, answer: str) -> str: ...

class ProjectedTools:
    """The tools of a listing as a provider gets them, and the way back."""

    def __init__(self, tools: Any, options: str) -> None: ...
    def report(self) -> str: ...
    def call(self, name: str, arguments: Any) -> tuple[str, Any, Decision]: ...

