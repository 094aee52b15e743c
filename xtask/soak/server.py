# The server of the scenes of `cargo xtask soak` with bad clients and dying servers. It stands after the
# prelude of the guard's tests, crates/toolsure-proxy/tests/guard/prelude.py, and takes two files: the
# shapes of the fixture server, and the one that the ids of processes are added to that it leaves behind.
import subprocess

shapes, left = sys.argv[1:]
with open(shapes, encoding="utf-8") as file:
    weather = next(shape for shape in json.load(file) if shape["tool"]["name"] == "get-weather")
NAMES = ["slow", "large", "state", "die"]
TOOLS[:] = [weather["tool"]] + [{"name": n, "inputSchema": {"type": "object"}} for n in NAMES]
slow, listening = {}, set()
read_line = read


def read():
    "The next message; what it cancels is no longer open."
    m = read_line()
    if m and m.get("method") == "notifications/cancelled":
        id = m["params"]["requestId"]
        listening.discard(id)
        if id in slow:
            slow.pop(id).cancel()
    return m


def late(id):
    if slow.pop(id, None):
        text(id, "late", **MORE)


for m, id, name, args in calls():
    if m["method"] == "subscriptions/listen":
        listening.add(id)
        meta = {"io.modelcontextprotocol/subscriptionId": id}
        accepted = {"_meta": meta, "notifications": m["params"]["notifications"]}
        send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": accepted})
    elif name == "get-weather":
        answer(id, weather["answer"])
    elif name == "slow":
        slow[id] = threading.Timer(args["seconds"], late, [id])
        slow[id].daemon = True
        slow[id].start()
    elif name == "large":
        text(id, "x" * args["bytes"], **MORE)
    elif name == "state":
        text(id, json.dumps({"process": os.getpid(), "slow": len(slow), "listening": len(listening)}), **MORE)
    elif name == "die":
        child = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
        with open(left, "a", encoding="utf-8") as file:
            file.write(f"{child.pid}\n")
        os._exit(7)
    else:
        error(id, -32601)
