// A server with one tool, for every 1.x version of the TypeScript SDK; the argument is its package.
const sdk = process.argv[2];
const { Server } = await import(`${sdk}/server/index.js`);
const { StdioServerTransport } = await import(`${sdk}/server/stdio.js`);
const { CallToolRequestSchema, ListToolsRequestSchema } = await import(`${sdk}/types.js`);

const server = new Server({ name: "minor", version: "1" }, { capabilities: { tools: {} } });
const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: [{ name: "echo", description: "Repeats the text", inputSchema }],
}));
server.setRequestHandler(CallToolRequestSchema, async (request) => ({
  content: [{ type: "text", text: request.params.arguments.text }],
}));
await server.connect(new StdioServerTransport());
