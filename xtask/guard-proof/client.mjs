// A TypeScript SDK client that lists and calls the odd tools of one server after the other:
// node client.mjs v1|v2 VERSION JOBS, run in the folder with node_modules. JOBS is a file with one JSON
// object a line: {"case", "command", "calls": [[NAME, ARGUMENTS, EXPECTED]…]}, and "each" if every call
// gets a line. It prints what it saw of each, as client.py does:
// {"case", "failed"} if it has no tools, or {"case", "good", "calls": [[WORD, ERROR]…]}.
import fs from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

const [version, era, jobs] = process.argv.slice(2);
const require = createRequire(process.cwd() + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const [{ Client }, { StdioClientTransport }] = await Promise.all(
  version === "v1"
    ? [load("@modelcontextprotocol/sdk/client/index.js"), load("@modelcontextprotocol/sdk/client/stdio.js")]
    : [load("@modelcontextprotocol/client"), load("@modelcontextprotocol/client/stdio")],
);
const options = version === "v1" ? {} : { versionNegotiation: { mode: era === "2026-07-28" ? { pin: era } : "legacy" } };

async function call(client, name, given, expected) {
  try {
    const result = await client.callTool({ name, arguments: given }, ...(version === "v1" ? [undefined, WAIT] : [WAIT]));
    if (result.isError) return ["error", String(result.content?.[0]?.text ?? "isError").slice(0, 300)];
    if (expected === undefined) return ["works"];
    if (!("structuredContent" in result)) return ["text-only"];
    const seen = result.structuredContent;
    return isDeepStrictEqual(seen, expected) || isDeepStrictEqual(seen, { result: expected })
      ? ["works"] : ["other-value", JSON.stringify(seen).slice(0, 300)];
  } catch (error) {
    return ["error", String(error.message).slice(0, 300)];
  }
}

async function isGood(client) {
  const [add] = await call(client, "add", { a: 1, b: 2 }, { sum: 3 });
  const [greet] = await call(client, "greet", { name: "Ada" });
  return add === "works" && greet === "works";
}

async function look(job) {
  const seen = { case: job.case };
  const client = new Client({ name: "proof", version: "1" }, options);
  try {
    const [command, ...args] = job.command;
    await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }), WAIT);
    const { tools } = await client.listTools(undefined, WAIT);
    const listed = tools.map((tool) => tool.name);
    seen.calls = [];
    for (const [name, given, ...expected] of job.calls) {
      const outcome = listed.includes(name) ? await call(client, name, given, ...expected) : ["hidden"];
      seen.calls.push(outcome);
      if (job.each) line({ call: outcome });
    }
    seen.good = listed.includes("add") && listed.includes("greet") && (await isGood(client));
  } catch (error) {
    seen.failed = String(error.message).slice(0, 300);
  }
  await client.close().catch(() => {});
  return seen;
}

// Halves of surrogate pairs are not JSON to many readers.
const line = (value) => console.log(JSON.stringify(value, (_, v) => (typeof v === "string" ? v.toWellFormed() : v)));
const WAIT = { timeout: 4000 };
for (const job of fs.readFileSync(jobs, "utf8").split("\n").filter(Boolean)) {
  line(await look(JSON.parse(job)));
}
process.exit(0);
