// What a server answers to the requests of PUBLISHED_REQUESTS, as the client gives it to its user.
const ask = {
  'tools/list': (client) => client.listTools(),
  'tools/call': (client, params) => client.callTool(params),
  'resources/list': (client) => client.listResources(),
  'resources/read': (client, params) => client.readResource(params),
  'resources/templates/list': (client) => client.listResourceTemplates(),
  'prompts/list': (client) => client.listPrompts(),
  'prompts/get': (client, params) => client.getPrompt(params),
};

export async function answers(client) {
  const all = [];
  for (const { method, params } of JSON.parse(process.env.PUBLISHED_REQUESTS)) {
    try {
      all.push({ result: await ask[method](client, params) });
    } catch (error) {
      all.push({ error: String(error) });
    }
  }
  return all;
}
