"""Subinterpreters are refused, before and after the main interpreter has the module, and leave it usable."""

import subprocess
import sys

import pytest

CODE = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
if sys.argv[1] == "after":
    import toolsure
inner = '''
try:
    import toolsure
    said = "imported"
except ImportError as error:
    said = str(error)
import os
os.write(1, said.encode() + b"\\\\n")
'''
for _ in range(2):
    one = interpreters.create()
    interpreters.run_string(one, inner)
    interpreters.destroy(one)
import toolsure
print(toolsure.Validator({"type": "null"}).check(1).errors[0].kind, flush=True)
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_subinterpreters_are_refused(when):
    done = subprocess.run([sys.executable, "-c", CODE, when], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    refusals, kind = done.stdout.splitlines()[:2], done.stdout.splitlines()[2]
    assert all("subinterpreters" in line for line in refusals), done.stdout
    assert kind.startswith("Type(")
