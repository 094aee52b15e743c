// The TypeScript SDK, version 2, as the server of the shapes: `stdio`, or `http` (prints where).
//
// Its own checks are off for the two tools that are wrong by intention, which it would keep back.
import fs from 'node:fs';
import http from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const shapes = JSON.parse(fs.readFileSync(process.env.INTEROP_SHAPES, 'utf8'));
const wrong = ['broken-promise', 'hostile'];
const unchecked = { getValidator: () => (data) => ({ valid: true, data, errorMessage: undefined }) };

function server() {
  const server = new McpServer({ name: 'shapes', version: '1' });
  for (const { tool, answer } of shapes) {
    const { name, description, inputSchema, outputSchema } = tool;
    const validator = wrong.includes(name) ? unchecked : undefined;
    const schema = (text) => text && fromJsonSchema(text, validator);
    const { content, structuredContent } = answer;
    const result = structuredContent === undefined ? { content } : { content, structuredContent };
    const config = { description, inputSchema: schema(inputSchema), outputSchema: schema(outputSchema) };
    server.registerTool(name, config, () => result);
  }
  return server;
}

if (process.argv[2] === 'http') {
  const listener = http.createServer(toNodeHandler(createMcpHandler(server)));
  listener.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${listener.address().port}/mcp`));
} else {
  serveStdio(server);
}
