# The functions that the scripts of children stand after: `python` in the `common.rs` of both test programs, and `cargo xtask soak`.
import sys, json, os, time, signal, threading
def read():
    line = sys.stdin.readline()
    return json.loads(line) if line else None
lock = threading.Lock()
def raw(text):
    with lock:
        sys.stdout.write(text); sys.stdout.flush()
def send(message):
    raw(json.dumps(message) + "\n")
def answer(id, result):
    send({"jsonrpc": "2.0", "id": id, "result": result})
def error(id, code):
    send({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "no"}})
def text(id, text, **more):
    answer(id, {"content": [{"type": "text", "text": text}], **more})
NAMES = ["echo", "die", "hang", "note", "big"]
TOOLS = [{"name": n, "inputSchema": {"type": "object"}} for n in NAMES]
CACHING = {"ttlMs": 60000, "cacheScope": "public"}
def known(m):
    "Answers what every server answers; says whether it did."
    method, id = m.get("method"), m.get("id")
    modern = "io.modelcontextprotocol/protocolVersion" in m.get("params", {}).get("_meta", {})
    more = {"resultType": "complete", **CACHING} if modern else {}
    if method == "initialize":
        answer(id, {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "py", "version": "1"}})
    elif method == "server/discover":
        answer(id, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, **more})
    elif method == "tools/list":
        answer(id, {"tools": TOOLS, **more})
    elif method == "ping":
        answer(id, {})
    elif id is None:
        pass
    else:
        return False
    return True
def calls():
    "The calls of tools, one by one; the rest is answered."
    while True:
        m = read()
        if m is None:
            return
        if not known(m):
            yield m, m["id"], m["params"].get("name"), m["params"].get("arguments", {})
MORE = {"resultType": "complete"}
