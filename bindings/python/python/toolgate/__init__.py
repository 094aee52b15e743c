"""JSON Schema under hard bounds, and the contracts of MCP tools.

>>> from toolgate import Validator
>>> Validator({"type": "integer", "minimum": 3}).is_valid(5)
True

There are three answers: a value matches, it does not, or a bound was reached before that was known. The third is
the exception `Undecided`; nothing turns it into one of the others.
"""

from ._errors import ContractError, NotJson, SchemaError, ToolgateError, Undecided, ValidationError
from ._reports import (
    Change,
    CheckFault,
    DiffReport,
    Edit,
    Fix,
    LintFinding,
    LintReport,
    ToolChange,
    ToolCheck,
    check,
    diff,
    lint,
)
from ._toolgate import VERSION as __version__
from ._toolgate import Validator

__all__ = [
    "Change",
    "CheckFault",
    "ContractError",
    "DiffReport",
    "Edit",
    "Fix",
    "LintFinding",
    "LintReport",
    "NotJson",
    "SchemaError",
    "ToolChange",
    "ToolCheck",
    "ToolgateError",
    "Undecided",
    "ValidationError",
    "Validator",
    "__version__",
    "check",
    "diff",
    "lint",
]
