"""Objects of an SDK, which are pydantic models, as they go over the wire."""

from __future__ import annotations

import math
from typing import Any


def wire(model: Any) -> Any:
    """A model as plain data. Infinite numbers and NaN stay what they are, and are refused later: JSON would be `null`."""
    options = {"by_alias": True, "exclude_none": True}
    written = _finite(model.model_dump(mode="json", **options), model.model_dump(mode="python", **options))
    if "structured_content" in model.model_fields_set:
        # `null` is a value of its own.
        written.setdefault("structuredContent", None)
    return written


def jsonable(value: Any) -> Any:
    """Arguments of a call as plain data, as the SDK writes them: dates, decimals and models become what JSON has."""
    from pydantic_core import to_jsonable_python

    return _finite(to_jsonable_python(value, by_alias=True), value)


def _finite(written: Any, given: Any) -> Any:
    """`written`, with the numbers of `given` that JSON does not have where they were."""
    root = [written]
    todo: list[tuple[Any, Any, Any, Any]] = [(root, 0, written, given)]
    while todo:
        holder, key, new, old = todo.pop()
        if isinstance(old, float) and not math.isfinite(old):
            holder[key] = old
        elif isinstance(new, dict) and isinstance(old, dict):
            todo += [(new, name, new[name], old[name]) for name in new.keys() & old.keys()]
        elif isinstance(new, list) and isinstance(old, (list, tuple)) and len(new) == len(old):
            todo += [(new, index, new[index], old[index]) for index in range(len(new))]
    return root[0]
