"""The kinds of violations: a dataclass for each way to violate a keyword, for `match`.

    match error.kind:
        case kinds.Minimum(limit=limit):
            ...
        case kinds.Required(missing=names):
            ...

Long texts of the schema and of the value are cut; values are JSON text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union


@dataclass(frozen=True)
class Found:
    """The value that was found: its JSON type, and its text."""

    type: str
    text: str


@dataclass(frozen=True)
class Tag:
    """A property whose constant value selects the branch of a union."""

    property: str
    expected: tuple[str, ...]
    more: int
    closest: str | None
    found: Found


@dataclass(frozen=True)
class Type:
    """`type`: the value has another type."""

    expected: tuple[str, ...]
    found: Found


@dataclass(frozen=True)
class Const:
    """`const`: the value is not equal to the constant."""

    expected: str
    found: Found


@dataclass(frozen=True)
class Enum:
    """`enum`: the value is not one of the list."""

    expected: tuple[str, ...]
    more: int
    closest: str | None
    found: Found


@dataclass(frozen=True)
class Minimum:
    """`minimum`, `exclusiveMinimum`: the number is too small."""

    limit: str
    exclusive: bool
    found: Found


@dataclass(frozen=True)
class Maximum:
    """`maximum`, `exclusiveMaximum`: the number is too large."""

    limit: str
    exclusive: bool
    found: Found


@dataclass(frozen=True)
class MultipleOf:
    """`multipleOf`: the number is not a multiple."""

    divisor: str
    found: Found


@dataclass(frozen=True)
class MinLength:
    """`minLength`: the string has too few characters."""

    least: int
    count: int
    found: Found


@dataclass(frozen=True)
class MaxLength:
    """`maxLength`: the string has too many characters."""

    most: int
    count: int
    found: Found


@dataclass(frozen=True)
class Pattern:
    """`pattern`: the string does not match the regular expression."""

    pattern: str
    found: Found


@dataclass(frozen=True)
class Format:
    """`format`: the value does not have the format."""

    format: str
    found: Found


@dataclass(frozen=True)
class Content:
    """`contentEncoding`, `contentMediaType`: the string has other content, if these keywords assert."""

    expected: str
    found: Found


@dataclass(frozen=True)
class MinItems:
    """`minItems`: the array is too short."""

    least: int
    count: int


@dataclass(frozen=True)
class MaxItems:
    """`maxItems`: the array is too long."""

    most: int
    count: int


@dataclass(frozen=True)
class UniqueItems:
    """`uniqueItems`: two items are equal."""

    first: int
    second: int


@dataclass(frozen=True)
class Contains:
    """`contains`: no item matches."""


@dataclass(frozen=True)
class MinContains:
    """`minContains`: too few items match `contains`."""

    least: int
    count: int


@dataclass(frozen=True)
class MaxContains:
    """`maxContains`: too many items match `contains`."""

    most: int


@dataclass(frozen=True)
class MinProperties:
    """`minProperties`: the object has too few members."""

    least: int
    count: int


@dataclass(frozen=True)
class MaxProperties:
    """`maxProperties`: the object has too many members."""

    most: int
    count: int


@dataclass(frozen=True)
class Required:
    """`required`: members are missing; `more` of them are not named."""

    missing: tuple[str, ...]
    more: int


@dataclass(frozen=True)
class DependentRequired:
    """`dependentRequired`, `dependencies`: members that another one needs are missing."""

    present: str
    missing: tuple[str, ...]
    more: int


@dataclass(frozen=True)
class UnexpectedProperty:
    """`additionalProperties`, `unevaluatedProperties`: no such member is allowed."""

    property: str
    closest: str | None


@dataclass(frozen=True)
class ForbiddenProperty:
    """`properties`, `patternProperties`: the member is forbidden."""

    property: str


@dataclass(frozen=True)
class UnexpectedItem:
    """`items`, `additionalItems`, `unevaluatedItems`: no such item is allowed."""

    index: int


@dataclass(frozen=True)
class ForbiddenName:
    """`propertyNames`: no name is allowed."""


@dataclass(frozen=True)
class AnyOf:
    """`anyOf`: no branch matches. `plausible` has the branches that were probably intended."""

    count: int
    plausible: tuple[int, ...]
    tag: Tag | None


@dataclass(frozen=True)
class OneOf:
    """`oneOf`: no branch matches."""

    count: int
    plausible: tuple[int, ...]
    tag: Tag | None


@dataclass(frozen=True)
class OneOfMany:
    """`oneOf`: more than one branch matches; `matched` has the first two."""

    matched: tuple[int, ...]


@dataclass(frozen=True)
class Not:
    """`not`: the value matches the schema that it must not match."""

    found: Found


@dataclass(frozen=True)
class Never:
    """A `false` schema, which nothing matches."""

    found: Found


@dataclass(frozen=True)
class Other:
    """A violation that has no class in this version; the error's message describes it."""


@dataclass(frozen=True)
class Incomplete:
    """No violation: a limit was reached, and other errors may not be listed."""


Kind = Union[
    Type,
    Const,
    Enum,
    Minimum,
    Maximum,
    MultipleOf,
    MinLength,
    MaxLength,
    Pattern,
    Format,
    Content,
    MinItems,
    MaxItems,
    UniqueItems,
    Contains,
    MinContains,
    MaxContains,
    MinProperties,
    MaxProperties,
    Required,
    DependentRequired,
    UnexpectedProperty,
    ForbiddenProperty,
    UnexpectedItem,
    ForbiddenName,
    AnyOf,
    OneOf,
    OneOfMany,
    Not,
    Never,
    Other,
    Incomplete,
]
