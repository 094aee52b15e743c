// A protected MCP server and its authorization server, in one process: every client may register, and every
// login is granted at once. The server takes a token for any address of its own host that ends in `/mcp`, as one
// behind a proxy does. It prints `listening on URL`.
import crypto from 'node:crypto';
import http from 'node:http';

const codes = new Map();
const tokens = new Map();
let base;

function send(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

async function text(request) {
  let body = '';
  for await (const piece of request) body += piece;
  return body;
}

function token(response, form) {
  const login = codes.get(form.get('code'));
  codes.delete(form.get('code'));
  const verifier = form.get('code_verifier') ?? '';
  const challenge = crypto.createHash('sha256').update(verifier).digest('base64url');
  if (!login || login.challenge !== challenge || login.resource !== form.get('resource')) {
    return send(response, 400, { error: 'invalid_grant' });
  }
  const access = crypto.randomUUID();
  tokens.set(access, login.resource);
  send(response, 200, { access_token: access, token_type: 'Bearer', expires_in: 600 });
}

function answer(message, resource) {
  const tool = { name: 'resource', inputSchema: { type: 'object' } };
  const modern = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
  const more = modern ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
  switch (message.method) {
    case 'initialize':
      return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'protected', version: '1' } };
    case 'tools/list':
      return { tools: [tool], ...more };
    case 'tools/call':
      return { content: [{ type: 'text', text: resource }], ...(modern ? { resultType: 'complete' } : {}) };
    default:
      return undefined;
  }
}

async function endpoint(request, response) {
  const resource = tokens.get((request.headers.authorization ?? '').replace(/^bearer /i, ''));
  const own = resource && new URL(resource);
  if (!own || own.hostname !== '127.0.0.1' || own.pathname !== '/mcp') {
    const metadata = `${base}/.well-known/oauth-protected-resource/mcp`;
    return send(response, 401, { error: 'invalid_token' }, {
      'www-authenticate': `Bearer error="invalid_token", resource_metadata="${metadata}", scope="mcp"`,
    });
  }
  if (request.method !== 'POST') return send(response, 405);
  const message = JSON.parse(await text(request));
  if (message.id === undefined) return send(response, 202);
  const result = answer(message, resource);
  const error = { code: -32601, message: 'no such method' };
  send(response, 200, { jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) });
}

const server = http.createServer(async (request, response) => {
  const url = new URL(request.url, base);
  switch (url.pathname) {
    case '/mcp':
      return endpoint(request, response);
    case '/.well-known/oauth-protected-resource/mcp':
      return send(response, 200, {
        resource: `${base}/mcp`,
        authorization_servers: [base],
        scopes_supported: ['mcp'],
        bearer_methods_supported: ['header'],
      });
    case '/.well-known/oauth-authorization-server':
      return send(response, 200, {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        registration_endpoint: `${base}/register`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      });
    case '/register':
      return send(response, 201, { ...JSON.parse(await text(request)), client_id: crypto.randomUUID() });
    case '/authorize': {
      const code = crypto.randomUUID();
      codes.set(code, {
        challenge: url.searchParams.get('code_challenge'),
        resource: url.searchParams.get('resource'),
      });
      const back = new URL(url.searchParams.get('redirect_uri'));
      back.searchParams.set('code', code);
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      return send(response, 302, undefined, { location: back.href });
    }
    case '/token':
      return token(response, new URLSearchParams(await text(request)));
    default:
      return send(response, 404, {});
  }
});

server.listen(0, '127.0.0.1', () => {
  base = `http://127.0.0.1:${server.address().port}`;
  console.log(`listening on ${base}/mcp`);
});
