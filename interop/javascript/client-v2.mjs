// The TypeScript SDK, version 2, as the client: ERA stdio COMMAND..., or ERA http URL.
// It reports the cases, or of the requests of PUBLISHED_REQUESTS if there are any.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { answers } from './ask.mjs';
import { report } from './report.mjs';

const [era, transport, target, ...args] = process.argv.slice(2);
const mode = era === '2026-07-28' ? { pin: era } : 'legacy';
const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode } });
await client.connect(
  transport === 'http'
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args, stderr: 'inherit' }),
);
const look = process.env.PUBLISHED_REQUESTS ? answers : report;
console.log(JSON.stringify(await look(client)));
await client.close();
