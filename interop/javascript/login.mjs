// The TypeScript SDK logs in to a protected server: v1 or v2, then URL. It reports the tools that it sees, and the
// resource that the server says the token is for.
const [version, target] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } =
  version === 'v1'
    ? {
        ...(await import('@modelcontextprotocol/sdk/client/index.js')),
        ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
      }
    : await import('@modelcontextprotocol/client');

let code;
let registered;
let tokens;
let verifier;
const provider = {
  redirectUrl: 'http://127.0.0.1/callback',
  clientMetadata: {
    client_name: 'interop',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  clientInformation: () => registered,
  saveClientInformation: (saved) => (registered = saved),
  tokens: () => tokens,
  saveTokens: (saved) => (tokens = saved),
  codeVerifier: () => verifier,
  saveCodeVerifier: (saved) => (verifier = saved),
  // In place of the user and the browser.
  async redirectToAuthorization(url) {
    const granted = await fetch(url, { redirect: 'manual' });
    code = new URL(granted.headers.get('location')).searchParams.get('code');
  },
};

async function connected() {
  const client = new Client({ name: 'interop', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(target), { authProvider: provider });
  try {
    await client.connect(transport);
  } catch (error) {
    if (!code) throw error;
    await transport.finishAuth(code);
    return undefined;
  }
  return client;
}

const client = (await connected()) ?? (await connected());
const { tools } = await client.listTools();
const { content } = await client.callTool({ name: 'resource', arguments: {} });
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), resource: content[0].text }));
await client.close();
