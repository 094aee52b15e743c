"""A server of 2025-11-25 on standard input and output: two good tools and one that this run asks for.

python3 server.py SCENARIO; the scenarios are the keys of ODD.
"""

import json
import sys

GOOD = {
    "add": {
        "description": "adds two numbers",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
            "required": ["a", "b"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {"sum": {"type": "number"}},
            "required": ["sum"],
        },
    },
    "greet": {
        "description": "greets",
        "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
    },
}


def doubling(levels):
    """Two references to the next level at each level: 2^levels paths in about 100 bytes a level."""
    defs = {
        f"level{n}": {"anyOf": [{"$ref": f"#/$defs/level{n + 1}"}] * 2} for n in range(levels)
    }
    defs[f"level{levels}"] = {"type": "string"}
    return {"type": "object", "properties": {"x": {"$ref": "#/$defs/level0"}}, "$defs": defs}


# Each is what makes one tool odd. `usable` says whether the tool can be used once it is told well.
ODD = {
    "array-root": {
        "outputSchema": {"type": "array", "items": {"type": "integer"}},
        "usable": True,
    },
    "boolean-property": {
        "inputSchema": {"type": "object", "properties": {"any": True}},
        "usable": True,
    },
    "dangling-ref": {
        "outputSchema": {"type": "object", "properties": {"x": {"$ref": "#/$defs/missing"}}},
        "usable": False,
    },
    "external-ref": {
        "outputSchema": {
            "type": "object",
            "properties": {"x": {"$ref": "http://127.0.0.1:9/schema.json"}},
        },
        "usable": False,
    },
    "doubling": {
        "outputSchema": doubling(40),
        "result": {"x": 1},
        "usable": False,
    },
    "redos": {
        "outputSchema": {
            "type": "object",
            "properties": {"x": {"type": "string", "pattern": "^(a+)+$"}},
        },
        "result": {"x": "a" * 40 + "!"},
        "usable": False,
    },
}


def tools(scenario):
    listed = [{"name": name, **tool} for name, tool in GOOD.items()]
    odd = {key: value for key, value in ODD[scenario].items() if key.endswith("Schema")}
    # The odd one stands in the middle, so that neither a prefix nor a suffix of the list is good.
    listed.insert(1, {"name": "odd", "inputSchema": {"type": "object"}, **odd})
    return listed


def call(scenario, name, arguments):
    if name == "add":
        data = {"sum": arguments["a"] + arguments["b"]}
    elif name == "greet":
        return {"content": [{"type": "text", "text": "hello " + arguments.get("name", "you")}]}
    elif scenario == "array-root":
        data = [1, 2, 3]
    elif scenario == "boolean-property":
        return {"content": [{"type": "text", "text": json.dumps(arguments, sort_keys=True)}]}
    else:
        data = ODD[scenario].get("result", {"x": "y"})
    return {"content": [{"type": "text", "text": json.dumps(data)}], "structuredContent": data}


def answer(scenario, message):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "odd", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": tools(scenario)}
    if method == "tools/call":
        return call(scenario, params["name"], params.get("arguments", {}))
    return {} if method == "ping" else None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    result = answer(sys.argv[1], message)
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    if result is None:
        reply["error"] = {"code": -32601, "message": "no such method"}
    else:
        reply["result"] = result
    print(json.dumps(reply), flush=True)
