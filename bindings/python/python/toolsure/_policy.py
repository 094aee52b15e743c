"""What sessions and the middleware do with what they find: the options that they share."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any, Literal, Optional

from ._errors import ContractError, NotJsonError, ToolsureError, UndecidedError
from ._toolsure import ToolContract
from ._wire import jsonable, wire


@dataclass(frozen=True)
class Policy:
    """What is checked, and what happens then."""

    #: Only results are checked.
    results_only: bool = False
    #: What is wrong is logged, and nothing is refused.
    record_only: bool = False
    #: What happens if a limit is reached before the verdict.
    on_undecided: Literal["refuse", "pass"] = "refuse"
    #: Arguments are repaired if few certain edits make them match.
    repair: bool = False
    #: The options of `ToolContract`: `formats`, `limits`, `documents`, `strictness`, …
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.on_undecided not in ("refuse", "pass"):
            raise ValueError(f'on_undecided must be "refuse" or "pass", not {self.on_undecided!r}')

    def arguments(
        self, contract: ToolContract, arguments: Optional[dict[str, Any]], log: logging.Logger
    ) -> Optional[dict[str, Any]]:
        """Checks the arguments of a call, and returns those to send: repaired ones, if that is wanted."""
        if self.results_only:
            return arguments
        try:
            given: Any = {} if arguments is None else arguments
            try:
                contract.validate_arguments(given)
            except NotJsonError as error:
                # What was checked is sent: a generator, for one, is empty now.
                arguments = given = _written(given, error)
                contract.validate_arguments(given)
        except ContractError as error:
            repaired = contract.repair_arguments(given) if self.repair and error.code == "arguments-invalid" else None
            if repaired is None:
                self.found(error, log)
                return arguments
            value, edits = repaired
            log.warning("Repaired arguments of tool %r: %s", contract.name, "; ".join(edits))
            return value
        except ToolsureError as error:
            self.found(error, log)
        return arguments

    def fits(self, contract: ToolContract, arguments: Optional[dict[str, Any]]) -> bool:
        """Whether arguments match, as far as that is decided. Nothing is logged or refused."""
        if self.results_only:
            return True
        try:
            return contract.check_arguments({} if arguments is None else arguments).code != "arguments-invalid"
        except NotJsonError:
            return True

    def result(self, contract: ToolContract, result: Any, log: logging.Logger) -> None:
        """Checks a result of the SDK."""
        try:
            given = wire(result) if hasattr(result, "model_dump") else result
            try:
                try:
                    contract.validate_result(given)
                except NotJsonError as error:
                    contract.validate_result(_written(given, error))
            except NotJsonError as error:
                message = f"tool `{contract.name}` answered with a value that JSON does not have: {error}"
                raise ContractError(message, code="result-malformed", tool=contract.name) from error
        except ToolsureError as error:
            self.found(error, log)

    def found(self, error: ToolsureError, log: logging.Logger) -> None:
        """Logs what is wrong, and raises it if it is refused."""
        passes = self.record_only or (isinstance(error, UndecidedError) and self.on_undecided == "pass")
        log.warning("%s: %s", "Recorded" if passes else "Refused", error)
        if not passes:
            raise error


def _written(value: Any, error: NotJsonError) -> Any:
    """What the SDK writes for a value: it turns dates, decimals and models into what JSON has."""
    try:
        return jsonable(value)
    except Exception:
        # The SDK cannot write it either.
        raise error from None


def policy(
    *,
    results_only: bool = False,
    record_only: bool = False,
    on_undecided: Literal["refuse", "pass"] = "refuse",
    repair: bool = False,
    **options: Any,
) -> Policy:
    """The policy of keyword arguments. Wrong options of contracts are found now."""
    from ._toolsure import Catalog

    Catalog("2026-07-28", **options)
    return Policy(results_only, record_only, on_undecided, repair, options)
