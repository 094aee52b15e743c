// The TypeScript SDK, version 1, as the client: ERA stdio COMMAND..., or ERA http URL.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { report } from './report.mjs';

const [, transport, target, ...args] = process.argv.slice(2);
const client = new Client({ name: 'interop', version: '1' });
await client.connect(
  transport === 'http'
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args, stderr: 'inherit' }),
);
console.log(JSON.stringify(await report(client)));
await client.close();
