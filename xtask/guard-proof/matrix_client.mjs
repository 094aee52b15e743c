// A TypeScript SDK client before one odd tool after the other: node matrix_client.mjs v1|v2 ERA JOBS,
// run in the folder with node_modules. JOBS is a file with one JSON value a line: {"case", "name", "arguments",
// "command"}. For each it prints one line: what it saw.
import fs from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [version, era, jobs] = process.argv.slice(2);
const require = createRequire(process.cwd() + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const [{ Client }, { StdioClientTransport }] = await Promise.all(
  version === "v1"
    ? [load("@modelcontextprotocol/sdk/client/index.js"), load("@modelcontextprotocol/sdk/client/stdio.js")]
    : [load("@modelcontextprotocol/client"), load("@modelcontextprotocol/client/stdio")],
);
const options = version === "v1" ? {} : { versionNegotiation: { mode: era === "2026-07-28" ? { pin: era } : "legacy" } };

async function call(client, name, given) {
  try {
    const result = await client.callTool({ name, arguments: given }, ...(version === "v1" ? [undefined, WAIT] : [WAIT]));
    if (result.isError) return { error: String(result.content?.[0]?.text ?? "isError").slice(0, 300) };
    return { content: result.content, structured: result.structuredContent };
  } catch (error) {
    return { error: String(error.message).slice(0, 300) };
  }
}

async function look(job) {
  const seen = { case: job.case };
  const client = new Client({ name: "proof", version: "1" }, options);
  try {
    const [command, ...args] = job.command;
    await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }), WAIT);
    const { tools } = await client.listTools(undefined, WAIT);
    seen.tools = tools.map((tool) => tool.name);
    seen.odd = {};
    for (const [name, given] of job.calls) {
      seen.odd[name] = seen.tools.includes(name) ? await call(client, name, given) : null;
      if (job.each) console.log(JSON.stringify({ case: job.case, at: name, odd: seen.odd[name] }));
    }
    seen.good = [await call(client, "add", { a: 1, b: 2 }), await call(client, "greet", { name: "Ada" })];
  } catch (error) {
    seen.failed = String(error.message).slice(0, 400);
  }
  await client.close().catch(() => {});
  return seen;
}

const WAIT = { timeout: 4000 };
for (const line of fs.readFileSync(jobs, "utf8").split("\n").filter(Boolean)) {
  console.log(JSON.stringify(await look(JSON.parse(line))));
}
process.exit(0);
