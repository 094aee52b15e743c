// A TypeScript SDK client: lists the tools of a server on standard input and output, calls each,
// and prints what it saw as one line of JSON. `node client.mjs v1|v2 COMMAND…`, run in the folder
// with node_modules.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [version, command, ...args] = process.argv.slice(2);
const require = createRequire(process.cwd() + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const [{ Client }, { StdioClientTransport }] = await Promise.all(
  version === "v1"
    ? [load("@modelcontextprotocol/sdk/client/index.js"), load("@modelcontextprotocol/sdk/client/stdio.js")]
    : [load("@modelcontextprotocol/client"), load("@modelcontextprotocol/client/stdio")],
);

const ARGUMENTS = { add: { a: 1, b: 2 }, greet: { name: "Ada" }, odd: { any: [1] } };
const seen = { tools: [], results: {} };
const client = new Client({ name: "proof", version: "1" });
try {
  await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
  seen.tools = (await client.listTools()).tools.map((tool) => tool.name);
  for (const name of seen.tools) {
    try {
      const result = await client.callTool({ name, arguments: ARGUMENTS[name] ?? {} });
      seen.results[name] = result.isError ? { error: result.content } : result.structuredContent ?? result.content;
    } catch (error) {
      seen.results[name] = { error: String(error.message).slice(0, 200) };
    }
  }
} catch (error) {
  seen.failed = String(error.message).slice(0, 200);
}
await client.close().catch(() => {});
console.log(JSON.stringify(seen));
process.exit(0);
