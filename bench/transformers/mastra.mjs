// Rewrites schemas with the layers of @mastra/schema-compat: one JSON schema a line on standard input, and for each a
// line with `{"schema": …}` or `{"error": "…"}`.
//
//     node mastra.mjs FOLDER LAYER < schemas.jsonl
//
// FOLDER has `node_modules`; LAYER is openai-strict, anthropic or google.

import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, name] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${folder}/package.json`));
const mastra = await import(pathToFileURL(require.resolve("@mastra/schema-compat")));

const layers = {
  "openai-strict": [mastra.OpenAISchemaCompatLayer, { provider: "openai.chat", modelId: "gpt-4o", supportsStructuredOutputs: true }],
  anthropic: [mastra.AnthropicSchemaCompatLayer, { provider: "anthropic.messages", modelId: "claude-3-5-haiku", supportsStructuredOutputs: false }],
  google: [mastra.GoogleSchemaCompatLayer, { provider: "google.generative-ai", modelId: "gemini-2.5-pro", supportsStructuredOutputs: false }],
};
const [Layer, model] = layers[name];
const layer = new Layer(model);

function rewrite(schema) {
  const rewritten = layer.processToJSONSchema(mastra.jsonSchema(schema), "input");
  return name === "openai-strict" ? mastra.prepareJsonSchemaForOpenAIStrictMode(rewritten) : rewritten;
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = { schema: rewrite(JSON.parse(line)) };
  } catch (error) {
    answer = { error: String(error?.message ?? error).slice(0, 200) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
