// The TypeScript SDK, version 1, as the client: ERA stdio COMMAND..., or ERA http URL.
// It reports the cases, or of the requests of PUBLISHED_REQUESTS if there are any.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { answers } from './ask.mjs';
import { report } from './report.mjs';

const [, transport, target, ...args] = process.argv.slice(2);
const client = new Client({ name: 'interop', version: '1' });
await client.connect(
  transport === 'http'
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args, stderr: 'inherit' }),
);
const look = process.env.PUBLISHED_REQUESTS ? answers : report;
console.log(JSON.stringify(await look(client)));
await client.close();
