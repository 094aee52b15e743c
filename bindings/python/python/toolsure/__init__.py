"""JSON Schema with hard limits, and the contracts of MCP tools.

>>> from toolsure import Validator
>>> Validator({"type": "integer", "minimum": 3}).is_valid(5)
True

There are three verdicts: a value is valid, it is invalid, or a limit was reached before that was known. The third is
the exception `Undecided`, which is never turned into one of the others.
"""

from ._errors import ContractError, NotJson, SchemaError, ToolsureError, Undecided, ValidationError
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
from ._toolsure import VERSION as __version__
from ._toolsure import Validator

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
    "ToolsureError",
    "Undecided",
    "ValidationError",
    "Validator",
    "__version__",
    "check",
    "diff",
    "lint",
]
