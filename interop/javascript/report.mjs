// What a client saw of a server: its tools, and the outcome of every call of cases.json,
// as one line of JSON on standard output.
import fs from 'node:fs';

export async function report(client, cases = process.env.INTEROP_CASES) {
  const { calls } = JSON.parse(fs.readFileSync(cases, 'utf8'));
  const seen = { listed: null, calls: {} };
  try {
    const { tools } = await client.listTools();
    seen.listed = tools.map((tool) => tool.name);
  } catch (error) {
    seen.list_error = String(error.message);
  }
  for (const { case: name, tool, arguments: given } of calls) {
    seen.calls[name] = await outcome(client, tool, given);
  }
  return seen;
}

async function outcome(client, name, given) {
  try {
    const result = await client.callTool({ name, arguments: given });
    const text = result.content?.find((block) => block.type === 'text')?.text;
    if (result.isError) return { refused: text ?? '' };
    const report = { text };
    if ('structuredContent' in result) report.structured = result.structuredContent;
    return report;
  } catch (error) {
    return { refused: String(error.message) };
  }
}
