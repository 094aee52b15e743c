#!/usr/bin/env python3
"""Toolsure beside `jsonschema-rs`, `jsonschema` and `fastjsonschema`, in one run.

    bench.py [SHARED]        figures; SHARED is the folder with bench/ and corpus/, by default ../shared
    bench.py --errors        errors beside those of `jsonschema-rs`
    bench.py --cycles [N]    compile, validate and free N schemas (a million), and look at the memory
    bench.py --hostile DIR   the pairs of hostile/generate.py, each ended within its time

A figure is the CPU time for all instances of a set, the best of several rounds; a ratio is the geometric mean over sets.
Validators that are not installed, or cannot take a schema, are left out of that set.
"""

from __future__ import annotations

import json
import math
import pathlib
import random
import resource
import sys
import time
import warnings

import toolsure

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared"
ROUND = 0.05
ROUNDS = 5


def best(work):
    """Seconds of CPU time of one call, the best of several rounds."""
    begun = time.process_time()
    work()
    once = max(time.process_time() - begun, 1e-7)
    repeat = max(1, min(1000, int(ROUND / once)))
    times = []
    for _ in range(ROUNDS if once < 1 else 1):
        begun = time.process_time()
        for _ in range(repeat):
            work()
        times.append((time.process_time() - begun) / repeat)
    return min(times)


def contenders(schema):
    """Name and function of each validator that takes the schema: from a Python value to whether it is valid."""
    found = {"toolsure": toolsure.Validator(schema).is_valid}
    try:
        import jsonschema_rs

        found["jsonschema-rs"] = jsonschema_rs.validator_for(schema, validate_formats=False).is_valid
    except Exception as error:
        print(f"  jsonschema-rs: {error}".splitlines()[0], file=sys.stderr)
    try:
        import jsonschema

        found["jsonschema"] = jsonschema.validators.validator_for(schema)(schema).is_valid
    except Exception as error:
        print(f"  jsonschema: {error}".splitlines()[0], file=sys.stderr)
    try:
        import fastjsonschema

        compiled = fastjsonschema.compile(schema, use_formats=False, use_default=False)

        def fast(value):
            try:
                compiled(value)
            except fastjsonschema.JsonSchemaException:
                return False
            return True

        found["fastjsonschema"] = fast
    except Exception as error:
        print(f"  fastjsonschema: {error}".splitlines()[0], file=sys.stderr)
    return found


def sets(shared):
    """Name, schema and instances (as text) of each set."""
    for path in sorted((shared / "bench").glob("*.jsonl")):
        for index, line in enumerate(path.read_text().splitlines()):
            data = json.loads(line)
            schema = data["schema"] if isinstance(data["schema"], (dict, bool)) else json.loads(data["schema"])
            texts = [one if isinstance(one, str) else json.dumps(one) for one in data["instances"]]
            yield f"{path.stem}" + (f"-{index}" if index else ""), schema, texts


def corpus(shared, most=400):
    """Tools of published servers with their labelled values: one set for each tool, those with most values."""
    for path in sorted((shared / "corpus" / "instances").glob("*.jsonl")):
        listing = json.loads((shared / "corpus" / "listings" / f"{path.stem}.json").read_text())
        tools = listing.get("tools") or listing["result"]["tools"]
        schemas = {(tool["name"], "input"): tool.get("inputSchema") for tool in tools}
        values = {}
        for line in path.read_text().splitlines():
            data = json.loads(line)
            values.setdefault((data["tool"], data["which"]), []).append(json.dumps(data["instance"]))
        for key, texts in values.items():
            if schemas.get(key) is not None and most > 0:
                most -= 1
                yield f"{path.stem}/{key[0]}", schemas[key], texts


def damaged(values, is_valid, seed=36):
    """Copies of values with one part replaced, so that they do not match any more."""
    chance = random.Random(seed)
    broken = []
    for value in values[:200]:
        for _ in range(20):
            copy = json.loads(json.dumps(value))
            places = [(None, None)]
            todo = [copy]
            while todo:
                at = todo.pop()
                inner = at.items() if isinstance(at, dict) else enumerate(at) if isinstance(at, list) else ()
                for key, child in inner:
                    places.append((at, key))
                    todo.append(child)
            holder, key = chance.choice(places)
            other = chance.choice([None, True, -1, 1.5, "", "x y", [], [{}], {}, {"a": 1}])
            if holder is None:
                copy = other
            else:
                holder[key] = other
            if not is_valid(copy):
                broken.append(copy)
                break
    return broken


def errors(name, data):
    """How many times longer errors take than with `jsonschema-rs`: of valid values, of invalid ones, raised."""
    import jsonschema_rs

    _, schema, texts = data
    here, there = toolsure.Validator(schema), jsonschema_rs.validator_for(schema, validate_formats=False)
    values = [json.loads(text) for text in texts]
    valid = [value for value in values if there.is_valid(value)]
    invalid = damaged(valid, there.is_valid)

    def raising(validate):
        def work():
            for value in invalid:
                try:
                    validate(value)
                except ValueError:
                    pass

        return work

    row = {}
    if valid:
        pair = (best(lambda ask=ask: [list(ask(value)) for value in valid]) for ask in (here.iter_errors, there.iter_errors))
        row["iter_errors, valid"] = next(pair) / next(pair)
        pair = (best(lambda ask=ask: [ask(value) for value in valid]) for ask in (here.validate, there.validate))
        row["validate, valid"] = next(pair) / next(pair)
    if invalid:
        pair = (best(lambda ask=ask: [list(ask(value)) for value in invalid]) for ask in (here.iter_errors, there.iter_errors))
        row["iter_errors, invalid"] = next(pair) / next(pair)
        pair = (best(raising(ask)) for ask in (here.validate, there.validate))
        row["validate, raising"] = next(pair) / next(pair)
    return row


def error_figures(shared):
    rows = {data[0]: errors(data[0], data) for data in sets(shared)}
    for name, row in rows.items():
        print(f"{name:<28}", "  ".join(f"{what} {ratio:.2f}" for what, ratio in row.items()))
    print("\npublic sets: times as long as jsonschema-rs")
    for what in ("iter_errors, valid", "validate, valid", "iter_errors, invalid", "validate, raising"):
        ratios = {name: row[what] for name, row in rows.items() if what in row}
        worst = max(ratios, key=ratios.get)
        geometric = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        print(f"  {what}: {geometric:.2f}  (worst {ratios[worst]:.2f}, {worst}; {len(ratios)} sets)")


def measure(name, data, faults):
    _, schema, texts = data
    values = [json.loads(text) for text in texts]
    encoded = [text.encode() for text in texts]
    row = {}
    answers = {}
    for who, ask in contenders(schema).items():
        try:
            answers[who] = [bool(ask(value)) for value in values]
        except Exception as error:
            faults.append(f"{name}: {who}: {type(error).__name__}")
            continue
        row[who] = best(lambda ask=ask: [ask(value) for value in values])
    for who, given in answers.items():
        if "toolsure" in answers and given != answers["toolsure"]:
            faults.append(f"{name}: {who} disagrees")
    from_bytes = toolsure.Validator(schema).is_valid_json
    row["toolsure, bytes"] = best(lambda: [from_bytes(text) for text in encoded])
    if "jsonschema-rs" in row:
        import jsonschema_rs

        ask = jsonschema_rs.validator_for(schema, validate_formats=False).is_valid
        row["json.loads + jsonschema-rs"] = best(lambda: [ask(json.loads(text)) for text in encoded])
    return row


def mean(rows, one, other):
    ratios = [row[other] / row[one] for row in rows if one in row and other in row]
    if not ratios:
        return "not measured"
    geometric = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"{geometric:6.2f} x  (worst {min(ratios):.2f}, best {max(ratios):.2f}, {len(ratios)} sets)"


def figures(shared):
    for title, source in (("public sets", sets(shared)), ("corpus", corpus(shared))):
        rows, faults = [], []
        for data in source:
            try:
                row = measure(data[0], data, faults)
            except toolsure.ToolsureError as error:
                faults.append(f"{data[0]}: {error}")
                continue
            rows.append(row)
            if title == "public sets":
                shown = "  ".join(f"{who} {seconds * 1e6:10.1f}" for who, seconds in row.items())
                print(f"{data[0]:<28} us: {shown}")
        print(f"\n{title}: how many times faster toolsure is")
        for one, other in (
            ("toolsure", "jsonschema-rs"),
            ("toolsure", "jsonschema"),
            ("toolsure", "fastjsonschema"),
            ("toolsure, bytes", "json.loads + jsonschema-rs"),
        ):
            print(f"  {one} / {other}: {mean(rows, one, other)}")
        for fault in faults[:20]:
            print(f"  {fault}")
        print(f"  ({len(faults)} remarks)\n")


def cycles(count):
    """Memory after each tenth, which must not grow."""
    seen = []
    schema = {"type": "object", "properties": {"limit": {"type": "integer"}, "tag": {"pattern": "^a+$"}}}
    for index in range(count):
        validator = toolsure.Validator(schema)
        assert validator.is_valid({"limit": index})
        assert not validator.is_valid_json(b'{"limit": "1"}')
        if index % 10 == 0:
            assert len(list(validator.iter_errors({"limit": "1", "tag": "b"}))) == 2
        if index % (count // 10) == count // 10 - 1:
            seen.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    print("KiB after each tenth:", *seen)
    grown = seen[-1] - seen[0]
    print(f"{count} cycles: grown by {grown} KiB")
    return 0 if grown < 1024 else 1


def hostile(folder):
    """Every pair ends: a verdict, a refusal or undecided, within a second (it is 100 ms of CPU in the Rust runner)."""
    slow, counted = [], 0
    for line in (folder / "index.jsonl").read_text().splitlines():
        case = json.loads(line)
        schema, instance = (folder / case["schema"]).read_bytes(), (folder / case["instance"]).read_bytes()
        begun = time.process_time()
        try:
            validator = toolsure.Validator(schema, formats=bool(case.get("format")))
            for ask, value in ((validator.is_valid_json, instance), (validator.is_valid, None)):
                if value is None:
                    try:
                        value = json.loads(instance)
                    except (ValueError, RecursionError):
                        continue
                try:
                    ask(value)
                except toolsure.ToolsureError:
                    pass
        except toolsure.ToolsureError:
            pass
        counted += 1
        took = time.process_time() - begun
        if took > 1:
            slow.append(f"{case['name']} {case['n']}: {took:.2f} s")
    print(f"{counted} hostile pairs, {len(slow)} over a second", *slow, sep="\n")
    return 1 if slow else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    words = sys.argv[1:]
    if words[:1] == ["--cycles"]:
        sys.exit(cycles(int(words[1]) if len(words) > 1 else 1_000_000))
    if words[:1] == ["--errors"]:
        error_figures(pathlib.Path(words[1]) if len(words) > 1 else SHARED)
        sys.exit(0)
    if words[:1] == ["--hostile"]:
        sys.exit(hostile(pathlib.Path(words[1])))
    figures(pathlib.Path(words[0]) if words else SHARED)
