"""JSON Schema with hard limits, and the contracts of MCP tools.

>>> from toolsure import Validator
>>> Validator({"type": "integer", "minimum": 3}).is_valid(5)
True

There are three verdicts: a value is valid, it is invalid, or a limit was reached before that was known. The third is
the exception `UndecidedError`, which is never turned into one of the others.
"""

from typing import TYPE_CHECKING, Any

from ._errors import (
    ContractError,
    NotJsonError,
    SchemaError,
    ToolsureError,
    UndecidedError,
    ValidationError,
    best_match,
)
from ._functions import is_valid, iter_errors, validate
from ._reports import (
    ArgumentDiagnosis,
    ArgumentSchemaReport,
    Change,
    CheckReport,
    DiffReport,
    Edit,
    Fix,
    Instances,
    InvalidInstance,
    LintFinding,
    LintReport,
    MissingInstance,
    ProjectedTool,
    Projection,
    ProviderCall,
    Step,
    ToolChange,
    ToolCheck,
    ValidInstance,
    argument_schema,
    check,
    diff,
    generate,
    lint,
    project,
)
from ._result import Annotation, Decision, Result
from ._toolsure import VERSION as __version__
from ._toolsure import ToolContract, Validator

if TYPE_CHECKING:
    from . import kinds as kinds
    from . import mcp as mcp


def __getattr__(name: str) -> Any:
    # Imported on first use.
    if name in ("kinds", "mcp"):
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Annotation",
    "ArgumentDiagnosis",
    "ArgumentSchemaReport",
    "Change",
    "CheckReport",
    "ContractError",
    "Decision",
    "DiffReport",
    "Edit",
    "Fix",
    "Instances",
    "InvalidInstance",
    "LintFinding",
    "LintReport",
    "MissingInstance",
    "NotJsonError",
    "ProjectedTool",
    "Projection",
    "ProviderCall",
    "Result",
    "SchemaError",
    "Step",
    "ToolChange",
    "ToolCheck",
    "ToolContract",
    "ToolsureError",
    "UndecidedError",
    "ValidInstance",
    "ValidationError",
    "Validator",
    "__version__",
    "argument_schema",
    "best_match",
    "check",
    "diff",
    "generate",
    "is_valid",
    "iter_errors",
    "lint",
    "project",
    "validate",
]
