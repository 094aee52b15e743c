"""The official JSON-Schema-Test-Suite, from Python values and from text. Skipped where it is not beside the project."""

import json
import os
import pathlib

import pytest

from toolsure import Validator

SUITE = pathlib.Path(
    os.environ.get("TOOLSURE_SUITE")
    or pathlib.Path(__file__).resolve().parents[4] / "shared" / "suites" / "json-schema-test-suite"
)
DIALECTS = {
    "draft4": "draft4",
    "draft6": "draft6",
    "draft7": "draft7",
    "draft2019-09": "2019-09",
    "draft2020-12": "2020-12",
}

pytestmark = pytest.mark.skipif(not (SUITE / "tests").is_dir(), reason=f"no suite at {SUITE}")


def documents():
    found = {}
    for path in sorted((SUITE / "remotes").rglob("*.json")):
        inside = path.relative_to(SUITE / "remotes")
        if inside.parts[0] not in ("draft3", "v1", "draft-next"):
            found[f"http://localhost:1234/{inside.as_posix()}"] = path.read_bytes()
    return found


@pytest.mark.parametrize("folder", DIALECTS)
def test_suite(folder):
    remotes = documents()
    counted, wrong = 0, []
    root = SUITE / "tests" / folder
    for path in sorted(root.rglob("*.json")):
        inside = path.relative_to(root).as_posix()
        for case in json.loads(path.read_text()):
            # Most schemas refer to none of them, and each is read anew for every schema.
            schema = json.dumps(case["schema"])
            needs = "localhost:1234" in schema or "vocabulary" in schema or "json-schema.org/tests" in schema
            validator = Validator(
                case["schema"],
                default_dialect=DIALECTS[folder],
                formats=inside.startswith("optional/format"),
                content="assert" if inside == "optional/content.json" else None,
                documents=remotes if needs else None,
            )
            for test in case["tests"]:
                counted += 1
                try:
                    same = validator.is_valid(test["data"]) == test["valid"]
                    # Text of the data as Python read it.
                    same &= validator.is_valid_json(json.dumps(test["data"])) == test["valid"]
                    same &= (list(validator.iter_errors(test["data"])) == []) == test["valid"]
                except Exception as error:
                    same, test["description"] = False, f"{test['description']}: {error}"
                if not same:
                    wrong.append(f"{inside}: {case['description']}: {test['description']}")
    assert counted > 800
    assert wrong == []
