// The TypeScript SDK, version 2, as the client: ERA stdio COMMAND..., or ERA http URL.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { report } from './report.mjs';

const [era, transport, target, ...args] = process.argv.slice(2);
const mode = era === '2026-07-28' ? { pin: era } : 'legacy';
const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode } });
await client.connect(
  transport === 'http'
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args, stderr: 'inherit' }),
);
console.log(JSON.stringify(await report(client)));
await client.close();
