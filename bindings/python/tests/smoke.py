"""What `cargo xtask release` tries in an environment that has the wheel and nothing else."""

import toolsure
from toolsure.mcp import ToolContract

validator = toolsure.Validator({"properties": {"limit": {"type": "integer"}}})
assert validator.is_valid({"limit": 1})
assert not validator.is_valid_json(b'{"limit": "1"}')
assert [error.instance_path for error in validator.iter_errors({"limit": "1"})] == ["/limit"]
try:
    toolsure.Validator({"items": {"type": "null"}}, limits={"fuel": 1}).is_valid([None] * 1000)
    raise SystemExit("a check without fuel decided")
except toolsure.UndecidedError:
    pass
tool = {"name": "find", "inputSchema": {"type": "object", "required": ["query"]}}
assert ToolContract(tool).check_arguments({"query": 1}).ok
assert toolsure.lint([tool]).findings
assert toolsure.check([tool]).tools[0].ok
assert toolsure.diff([tool], [tool]).class_ is None
print("all good:", toolsure.__version__)
