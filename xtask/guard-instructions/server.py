# The server of `cargo xtask guard-instructions`. It stands after the prelude of the guard's tests,
# crates/toolsure-proxy/tests/guard/prelude.py, and takes the protocol version of the requests that it answers,
# and `http` if it is not to serve on stdio.
import http.server

modern = sys.argv[1] == "2026-07-28"
TOOLS[:] = [{
    "name": "add",
    "inputSchema": {"type": "object", "required": ["text", "count"], "additionalProperties": False,
        "properties": {"text": {"type": "string", "maxLength": 100}, "count": {"type": "integer", "minimum": 0}}},
    "outputSchema": {"type": "object", "required": ["text", "count"],
        "properties": {"text": {"type": "string"}, "count": {"type": "integer"}}},
}]
known_of_both = known


def known(m):
    meta = m.get("params", {}).get("_meta", {})
    if "id" in m and ("io.modelcontextprotocol/protocolVersion" in meta) != modern:
        error(m["id"], -32602)
        return True
    return known_of_both(m)


def add(id, args):
    more = MORE if modern else {}
    sum = {"text": args["text"], "count": args["count"] + 1}
    answer(id, {"content": [{"type": "text", "text": json.dumps(sum)}], "structuredContent": sum, **more})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said.clear()
        if not known(m):
            add(m["id"], m["params"]["arguments"])
        body = "".join(said)
        status = "200 OK" if body else "202 Accepted"
        # In one piece, because a client may read each piece by itself.
        self.wfile.write(f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
            .encode())

    def do_GET(self):
        self.send_response(405)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_DELETE = do_GET

    def log_message(self, *_):
        pass


if "http" in sys.argv:
    said = []
    raw = said.append
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"listening on http://127.0.0.1:{server.server_port}/mcp", flush=True)
    server.serve_forever()
for m, id, name, args in calls():
    add(id, args)
