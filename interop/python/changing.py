"""A server on standard input and output with one tool, whose definition a file gives at each request."""

import json
import sys

place = sys.argv[1]
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    with open(place, encoding="utf-8") as file:
        tool = json.load(file)
    result = {"resultType": "complete"}
    if message["method"] == "tools/list":
        listed = {
            "name": "change",
            "description": tool["description"],
            "inputSchema": {"type": "object"},
        }
        result |= {"tools": [listed], "ttlMs": tool["ttlMs"], "cacheScope": "private"}
    elif message["method"] == "tools/call":
        result |= {"content": [{"type": "text", "text": "changed"}]}
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
    print(json.dumps(answer), flush=True)
