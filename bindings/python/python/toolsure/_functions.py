"""Checks without a `Validator`, for programs that have each schema once. Compiled schemas are kept, up to a number."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

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
    return _compiled(json_text(schema), words)


@lru_cache(maxsize=128)
def _compiled(schema: str, options: tuple[tuple[str, Any], ...]) -> Validator:
    return Validator(schema, **dict(options))
