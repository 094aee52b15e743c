"""A server on standard input and output with the odd tools of odd-tools.json beside two good ones.

python3 server.py ODD_TOOLS CASE serves one case, ODD_TOOLS all every case in one listing, ODD_TOOLS
pages the next case in each listing, and ODD_TOOLS jobs prints what clients are to call in each:
[NAME, ARGUMENTS, EXPECTED], the last only where there is structured content.
It answers clients of both eras, each as its messages ask. In the file these stand for what would be
too long to write: {"@text": [[TEXT, TIMES]…]}, {"@array": [TIMES, ITEM]}, {"@object": [TIMES, KEY,
VALUE], "@and": MORE} and {"@nest": [TIMES, WITH "@hole", INNERMOST]}; in keys, items and values `@n` is
the number of the repetition and `@m` the next one. A case may say its texts itself (`raw`, `rawAnswer`),
and nothing is added to its page and result if it is `exact`.
"""

import json
import sys

GOOD = [
    {
        "name": "add",
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
    {
        "name": "greet",
        "description": "greets",
        "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
    },
]


def numbered(value, n):
    if isinstance(value, str):
        return value.replace("@n", str(n)).replace("@m", str(n + 1))
    if isinstance(value, list):
        return [numbered(item, n) for item in value]
    if isinstance(value, dict):
        return {numbered(key, n): numbered(item, n) for key, item in value.items()}
    return value


def text(value):
    """The JSON text of a value, its repetitions written out; depth costs no stack here."""
    if isinstance(value, list):
        return "[" + ",".join(map(text, value)) + "]"
    if not isinstance(value, dict):
        return json.dumps(value)
    if "@text" in value:
        return json.dumps("".join(part * times for part, times in value["@text"]))
    if "@array" in value:
        times, item = value["@array"]
        return "[" + ",".join(text(numbered(item, n)) for n in range(times)) + "]"
    if "@nest" in value:
        times, around, innermost = value["@nest"]
        before, after = text(around).split('"@hole"')
        return before * times + text(innermost) + after * times
    members = []
    if "@object" in value:
        times, key, item = value["@object"]
        members = [f"{text(numbered(key, n))}:{text(numbered(item, n))}" for n in range(times)]
    more = value.get("@and", {}) if "@object" in value else value
    members += [f"{json.dumps(key)}:{text(item)}" for key, item in more.items() if item != "@absent"]
    return "{" + ",".join(members) + "}"


class Case:
    def __init__(self, case):
        self.case = case
        tool = {"name": case["name"], "inputSchema": {"type": "object"}, **case.get("tool", {})}
        raw = case.get("raw", "").replace("@name", case["name"])
        self.definition = raw or text(tool)
        try:
            self.name = json.loads(text(tool["name"]))
        except ValueError:
            self.name = None
        self.beside = [text(tool) for tool in case.get("beside", [])]

    def members(self):
        return [f"{json.dumps(key)}:{text(value)}" for key, value in self.case.get("listing", {}).items()]

    def result(self):
        """The text of the result, without what only the modern era has."""
        if "rawAnswer" in self.case:
            return self.case["rawAnswer"]
        if "answer" in self.case:
            return text(self.case["answer"])
        return structured(text(self.case["structured"])) if "structured" in self.case else DONE


DONE = '{"content":[{"type":"text","text":"done"}]}'


def structured(data):
    block = json.dumps([{"type": "text", "text": data}])
    return f'{{"content":{block},"structuredContent":{data}}}'


def called(cases, params):
    name, arguments = params["name"], params.get("arguments") or {}
    for case in cases:
        if case.name == name:
            return case, case.result()
    if name == "add":
        return None, structured(json.dumps({"sum": arguments["a"] + arguments["b"]}))
    if name == "greet":
        words = json.dumps("hello " + arguments.get("name", "you"))
        return None, f'{{"content":[{{"type":"text","text":{words}}}]}}'
    for case in cases:
        if any(isinstance(tool, dict) and tool.get("name") == name for tool in case.case.get("beside", [])):
            return None, structured(text(case.case.get("besideStructured", {})))
    return None, None


def modern(result, cases):
    """What the modern era wants, first, so that an odd member of the same name comes after it."""
    if not result.startswith("{"):
        return result
    return '{"resultType":"complete",' + result[1:] if result != "{}" else '{"resultType":"complete"}'


def is_exact(cases):
    return len(cases) == 1 and cases[0].case.get("exact", False)


def answer(cases, message):
    """The case that is called, if it is an odd one, and the member that answers."""
    method, params = message["method"], message.get("params") or {}
    is_modern = "io.modelcontextprotocol/protocolVersion" in params.get("_meta", {})
    case, result = None, None
    if method == "initialize":
        result = json.dumps({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "odd", "version": "1"},
        })
    elif method == "server/discover" and is_modern:
        result = json.dumps({
            "supportedVersions": ["2025-11-25", "2026-07-28"],
            "capabilities": {"tools": {}},
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "odd", "version": "1"}},
        })
    elif method == "tools/list":
        # The odd ones stand in the middle, so that neither a prefix nor a suffix of the list is good.
        odd = [tool for case in cases for tool in [case.definition, *case.beside]]
        tools = [text(GOOD[0]), *odd, text(GOOD[1])]
        own = [member for case in cases for member in case.members()] if len(cases) == 1 else []
        if is_modern and not is_exact(cases):
            named = {member.split(":", 1)[0] for member in own}
            own += [m for m in ('"ttlMs":0', '"cacheScope":"private"') if m.split(":", 1)[0] not in named]
        result = "{" + ",".join(['"tools":[' + ",".join(tools) + "]", *own]) + "}"
        # A cursor that is no end would lead here again.
        if params.get("cursor") is not None:
            result = '{"tools":[],"ttlMs":0,"cacheScope":"private"}'
    elif method == "tools/call":
        case, result = called(cases, params)
    elif method == "ping":
        result = "{}"
    if result is None:
        return None, '"error":{"code":-32601,"message":"no such method or tool"}'
    is_page = method == "tools/list" and params.get("cursor") is None
    is_whole = is_exact([case] if case else cases if is_page else [])
    if is_modern and not is_whole and (case is None or "resultType" not in result):
        result = modern(result, cases)
    return case, f'"result":{result}'


def write(line):
    sys.stdout.buffer.write(line.encode("utf-8", "surrogatepass") + b"\n")
    sys.stdout.buffer.flush()


def reply(message, case, member):
    own = case.case if case else {}
    if "error" in own:
        member = ('"result":{"content":[]},' if own.get("both") else "") + f'"error":{text(own["error"])}'
    envelope, id = own.get("envelope"), json.dumps(message["id"])
    whole = f'{{"jsonrpc":"2.0","id":{id},{member}}}'
    if envelope == "string-id":
        whole = whole.replace(f'"id":{id}', f'"id":{json.dumps(str(message["id"]))}', 1)
    elif envelope == "null-id-first":
        write('{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"oops"}}')
    elif envelope == "no-jsonrpc":
        whole = whole.replace('"jsonrpc":"2.0",', "", 1)
    elif envelope == "jsonrpc-1":
        whole = whole.replace('"2.0"', '"1.0"', 1)
    elif envelope == "unknown-members":
        whole = whole.replace('"jsonrpc"', '"trace":"x","jsonrpc"', 1)
    elif envelope == "batch":
        whole = f"[{whole}]"
    elif envelope == "pretty":
        whole = " " + whole.replace('"jsonrpc":"2.0",', '"jsonrpc" : "2.0" , ') + " \t\r"
    elif envelope == "twice":
        write(whole)
    elif envelope == "garbage-line-first":
        write("{this is not JSON")
    elif envelope == "blank-line-first":
        write("")
    elif envelope == "log-line-first":
        write("INFO the tool was called")
    elif envelope == "request-first":
        write('{"jsonrpc":"2.0","id":"server-1","method":"ping"}')
    elif envelope == "notification-unknown-first":
        write('{"jsonrpc":"2.0","method":"notifications/odd","params":{"x":1}}')
    elif envelope == "bom":
        whole = "\ufeff" + whole
    write(whole)


def jobs(cases):
    """What the clients call, one line for each case and one for all of them in one listing. The calls are
    JSON in strings, because not every reader takes a half of a surrogate pair."""
    every = []
    for case in map(Case, cases):
        call = [case.name, json.loads(text(case.case.get("arguments", {})))]
        if "structured" in case.case:
            call.append(json.loads(text(case.case["structured"])))
        calls = [call] if isinstance(case.name, str) else []
        job = {"case": case.case["name"], "family": case.case["family"], "exception": case.case.get("exception")}
        print(json.dumps({**job, "calls": [json.dumps(call) for call in calls]}))
        if is_one_of_many(case.case):
            every += [[case.case["name"], json.dumps(call)] for call in calls]
    print(json.dumps({"case": "all", "cases": [name for name, _ in every], "calls": [call for _, call in every]}))


def is_one_of_many(case):
    """What speaks of the whole listing, or takes the name of another tool, is none."""
    return "listing" not in case and not case["name"].startswith("name-")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)
    if sys.argv[2] == "jobs":
        return jobs(cases)
    each = sys.argv[2] == "pages"
    wanted = is_one_of_many if sys.argv[2] == "all" else lambda case: each or case["name"] == sys.argv[2]
    cases = [Case(case) for case in cases if wanted(case)]
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            reply(message, *answer(cases[:1] if each else cases, message))
            is_next = message["method"] == "tools/list" and "cursor" not in message.get("params", {})
            if each and is_next and len(cases) > 1:
                del cases[0]


main()
