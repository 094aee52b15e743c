"""Checks without a `Validator`, for programs that have each schema once. Compiled schemas are kept, up to a number."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Union

from ._errors import ToolsureError
from ._toolsure import ErrorIterator, Validator, json_text

if TYPE_CHECKING:
    from ._toolsure import Schema


def validate(instance: Any, schema: Schema, **options: Any) -> None:
    """Raises `ValidationError` if a value does not match a schema. The order is that of `jsonschema.validate`."""
    _validator(schema, options).validate(instance)


def is_valid(instance: Any, schema: Schema, **options: Any) -> bool:
    """Whether a value matches a schema."""
    return _validator(schema, options).is_valid(instance)


def iter_errors(instance: Any, schema: Schema, **options: Any) -> ErrorIterator:
    """Yields an error for each way in which a value does not match a schema."""
    return _validator(schema, options).iter_errors(instance)


def _validator(schema: Schema, options: dict[str, Any]) -> Validator:
    words = tuple(sorted(options.items()))
    if not all(isinstance(value, (str, bool, type(None))) for _, value in words):
        # Limits and documents can change, and are not compared.
        return Validator(schema, **options)
    try:
        return _compiled(_text(schema), words)
    except ToolsureError:
        # What is wrong is said about the schema that was given, not about its text.
        return Validator(schema, **options)


def _text(schema: Schema) -> Union[str, bytes]:
    if isinstance(schema, (bytearray, memoryview)):
        return bytes(schema)
    return schema if isinstance(schema, (str, bytes)) else json_text(schema)


@lru_cache(maxsize=128)
def _compiled(schema: Union[str, bytes], options: tuple[tuple[str, Any], ...]) -> Validator:
    return Validator(schema, **dict(options))
