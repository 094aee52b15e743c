// A TypeScript SDK client that lists and calls the odd tools of one server after the other:
// node client.mjs PACKAGE VERSION JOBS, run in the folder with node_modules. JOBS is a file with one JSON
// object a line: {"case", "command", "calls": [[NAME, ARGUMENTS, EXPECTED]…]}, with one of these if the
// calls are not made in turn:
//   "each": true    every call gets a line
//   "words": TEXT   many calls at once; a call works if a text block of its result has the text
//   "lists": N      no calls: lists N times
//   "checks": true  no calls: [NAME, VALUES] validates JSON texts by the output schema, as SDK 1 does
// With "http": true the command is a guard that says on standard error where it listens.
// It prints what it saw of each, as client.py does:
// {"case", "failed"} if it has no tools, or {"case", "good", "calls": [[WORD, ERROR]…]}.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

const [name, era, jobs] = process.argv.slice(2);
const isFirst = name === "@modelcontextprotocol/sdk";
// Packages are found from the file that imports them.
const { default: load } = await import(pathToFileURL(process.cwd() + "/load.mjs").href);
const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }] = await Promise.all(
  isFirst ? ["index", "stdio", "streamableHttp"].map((part) => load(`${name}/client/${part}.js`)) : [load(name), load(`${name}/stdio`), load(name)],
);
const options = isFirst ? {} : { versionNegotiation: { mode: era === "2026-07-28" ? { pin: era } : "legacy" } };

const ask = (client, name, given) => client.callTool({ name, arguments: given }, ...(isFirst ? [undefined, WAIT] : [WAIT]));

async function call(client, name, given, expected) {
  try {
    const result = await ask(client, name, given);
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

// Whether the words of a result arrive. Elsewhere than in a text block, they are another value.
async function hear(client, name, given, words) {
  try {
    const content = (await ask(client, name, given)).content ?? [];
    const said = content.some((block) => block.type === "text" && block.text.includes(words));
    const all = JSON.stringify(content);
    return said ? ["works"] : all.includes(words) ? ["other-value"] : ["text-only", all.slice(0, 300)];
  } catch (error) {
    return failure(error, "error");
  }
}

async function list(client) {
  try {
    const names = (await client.listTools(undefined, SHORT)).tools.map((tool) => tool.name);
    const odd = names.filter((name) => name !== "add" && name !== "greet");
    if (names.length - odd.length !== 2) return ["good-tools-fail"];
    return odd.length ? ["works", odd.join()] : ["hidden"];
  } catch (error) {
    return failure(error, "no-tools");
  }
}

const failure = (error, word) => [/timed? ?out/i.test(error.message) ? "hangs" : word, String(error.message).slice(0, 300)];

// What the first SDK does with the output schemas of a list and with structured content.
async function checks(client, calls) {
  const [{ AjvJsonSchemaValidator }, { ListToolsResultSchema }] = await Promise.all([
    load(`${name}/validation/ajv`), load(`${name}/types.js`),
  ]);
  const { tools } = await client.request({ method: "tools/list" }, ListToolsResultSchema, LONG);
  const validator = new AjvJsonSchemaValidator();
  return calls.map(([tool, values]) => {
    const listed = tools.find((one) => one.name === tool);
    const schema = listed?.outputSchema;
    if (!schema) return [listed ? "text-only" : "hidden"];
    try {
      const validate = validator.getValidator(schema);
      const refused = values.find((value) => !validate(JSON.parse(value)).valid);
      return refused === undefined ? ["works"] : ["error", `refuses ${refused} by ${JSON.stringify(schema)}`];
    } catch (error) {
      return ["no-tools", `${error.message}; ${JSON.stringify(schema)}`];
    }
  });
}

// As many at once as a server may take, in the order of the calls.
async function many(calls, act) {
  const outcomes = [];
  let next = 0;
  const worker = async () => {
    while (next < calls.length) {
      const at = next++;
      outcomes[at] = await act(calls[at]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return outcomes;
}

async function isGood(client) {
  const [add] = await call(client, "add", { a: 1, b: 2 }, { sum: 3 });
  const [greet] = await call(client, "greet", { name: "Ada" });
  return add === "works" && greet === "works";
}

// Starts a guard that listens. Returns its process and its URL.
async function listen(command, args) {
  const guard = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  for await (const text of createInterface(guard.stderr)) {
    const [url] = /http:\/\/127[^\s"]*/.exec(text) ?? [];
    if (url) {
      // Its log would fill the pipe.
      guard.stderr.resume();
      return [guard, url];
    }
  }
  throw new Error("the guard does not listen");
}

async function look(job) {
  const seen = { case: job.case };
  const client = new Client({ name: "proof", version: "1" }, options);
  let guard;
  try {
    const [command, ...args] = job.command;
    let transport;
    if (job.http) {
      let url;
      [guard, url] = await listen(command, args);
      transport = new StreamableHTTPClientTransport(new URL(url));
    } else transport = new StdioClientTransport({ command, args, stderr: "ignore" });
    await client.connect(transport, WAIT);
    if (job.lists) {
      seen.calls = [];
      while (seen.calls.length < job.lists) {
        // A page may say that it holds for some milliseconds.
        await new Promise((resolve) => setTimeout(resolve, HOLDS));
        seen.calls.push(await list(client));
      }
      seen.good = true;
      return seen;
    }
    if (job.checks) {
      seen.calls = await checks(client, job.calls);
      seen.good = await isGood(client);
      return seen;
    }
    const { tools } = await client.listTools(undefined, LONG);
    const listed = tools.map((tool) => tool.name);
    seen.calls = [];
    if (job.words) {
      seen.calls = await many(job.calls, async ([name, given]) =>
        listed.includes(name) ? hear(client, name, given, job.words) : ["hidden"]);
    } else for (const [name, given, ...expected] of job.calls) {
      const outcome = listed.includes(name) ? await call(client, name, given, ...expected) : ["hidden"];
      seen.calls.push(outcome);
      if (job.each) line({ call: outcome });
    }
    seen.good = listed.includes("add") && listed.includes("greet") && (await isGood(client));
  } catch (error) {
    seen.failed = String(error.message).slice(0, 300);
  } finally {
    await client.close().catch(() => {});
    guard?.kill();
  }
  return seen;
}

// Halves of surrogate pairs are not JSON to many readers.
const line = (value) => console.log(JSON.stringify(value, (_, v) => (typeof v === "string" ? v.toWellFormed() : v)));
const WAIT = { timeout: 4000 };
// Of one small page.
const SHORT = { timeout: 2500 };
// Many output schemas are compiled.
const LONG = { timeout: 30000 };
const AT_ONCE = 50;
const HOLDS = 6;
for (const job of fs.readFileSync(jobs, "utf8").split("\n").filter(Boolean)) {
  line(await look(JSON.parse(job)));
}
process.exit(0);
