// The package in bundles: each bundler builds a program, and the bundle runs where there is no node_modules.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const dev = fileURLToPath(new URL('../dev/bundlers/', import.meta.url));
const bin = (name) => join(dev, 'node_modules/.bin', name);
const skip = existsSync(join(dev, 'node_modules/@toolsure/validator')) ? false : 'needs dev/bundlers/node_modules';

/** What a program says: three verdicts, and whether the class of an error is the one that is imported. */
const SAID = '[true,false,"invalid",true]';
const body = (from) => `
import { SchemaError, Validator } from '${from}';

export function said() {
  const validator = new Validator({ type: 'object', properties: { limit: { type: 'integer' } }, required: ['limit'] });
  let refused = false;
  try {
    new Validator({ type: 'strng' });
  } catch (error) {
    refused = error instanceof SchemaError;
  }
  return JSON.stringify([validator.isValid({ limit: 1 }), validator.isValid({ limit: 'x' }), validator.check({}).verdict, refused]);
}
`;
const FILES = {
  'app.mjs': `${body('@toolsure/validator')}\nconsole.log(said());\n`,
  'lean.mjs': `${body('@toolsure/validator/lean')}\nconsole.log(said());\n`,
  'inline.mjs': `${body('@toolsure/validator/inline')}\nconsole.log(said());\n`,
  'page.mjs': `${body('@toolsure/validator')}\nfetch('/said', { method: 'POST', body: said() });\n`,
  'handler.mjs': `${body('@toolsure/validator')}\nexport const handler = async () => ({ statusCode: 200, body: said() });\n`,
  'rollup.config.mjs': `import resolve from '@rollup/plugin-node-resolve';\nexport default { input: 'app.mjs', output: { file: 'out/rollup/app.mjs' }, plugins: [resolve({ exportConditions: ['node'] })], external: [/^node:/] };\n`,
  'tsup.config.mjs': `export default { entry: ['app.mjs'], format: 'esm', outDir: 'out/tsup', noExternal: [/./] };\n`,
  'vite.ssr.mjs': `export default { build: { ssr: 'app.mjs', outDir: 'out/vite' }, ssr: { noExternal: true }, logLevel: 'error' };\n`,
  'vite.page.mjs': `export default { base: './', build: { outDir: 'out/page', rollupOptions: { input: 'index.html' } }, logLevel: 'error' };\n`,
  'index.html': `<!doctype html><script type="module" src="./page.mjs"></script>\n`,
  'app/layout.jsx': `export default function Layout({ children }) {\n  return <html><body>{children}</body></html>;\n}\n`,
  'app/page.jsx': `export default function Page() {\n  return <main />;\n}\n`,
  'app/api/node/route.js': `${body('@toolsure/validator')}\nexport const dynamic = 'force-dynamic';\nexport const GET = () => new Response(said());\n`,
  'app/api/edge/route.js': `${body('@toolsure/validator')}\nexport const runtime = 'edge';\nexport const GET = () => new Response(said());\n`,
};

/** Name, command, the folder of the bundle, and the command that runs it there. */
const BUNDLES = [
  ['esbuild, ESM', ['esbuild', 'app.mjs', '--bundle', '--platform=node', '--format=esm', '--outfile=out/esm/app.mjs'], 'out/esm', ['node', 'app.mjs']],
  ['esbuild, CommonJS, minified', ['esbuild', 'app.mjs', '--bundle', '--minify', '--platform=node', '--format=cjs', '--outfile=out/cjs/app.cjs'], 'out/cjs', ['node', 'app.cjs']],
  ['esbuild, the lean build', ['esbuild', 'lean.mjs', '--bundle', '--platform=node', '--format=cjs', '--outfile=out/lean/app.cjs'], 'out/lean', ['node', 'app.cjs']],
  ['esbuild, the inline entry for any platform', ['esbuild', 'inline.mjs', '--bundle', '--format=iife', '--outfile=out/inline/app.cjs'], 'out/inline', ['node', 'app.cjs']],
  ['esbuild, a handler of Lambda', ['esbuild', 'handler.mjs', '--bundle', '--platform=node', '--target=node20', '--format=cjs', '--outfile=out/lambda/index.js'], 'out/lambda', ['node', '-e', "require('./index.js').handler().then(({ body }) => console.log(body))"]],
  ['tsup, ESM', ['tsup', '--config', 'tsup.config.mjs', '--silent'], 'out/tsup', ['node', 'app.mjs']],
  ['rollup', ['rollup', '-c', 'rollup.config.mjs', '--silent'], 'out/rollup', ['node', 'app.mjs']],
  ['webpack', ['webpack', '--mode', 'production', '--target', 'node20', '--entry', './app.mjs', '-o', 'out/webpack', '--no-stats'], 'out/webpack', ['node', 'main.js']],
  ['vite, server-side with noExternal', ['vite', 'build', '--config', 'vite.ssr.mjs'], 'out/vite', ['node', 'app.mjs']],
  ['ncc', ['ncc', 'build', 'app.mjs', '-o', 'out/ncc', '-q'], 'out/ncc', ['node', 'index.mjs']],
  ['bun, for bun', ['bun', 'build', 'app.mjs', '--target=bun', '--outdir', 'out/bun'], 'out/bun', [bin('bun'), 'app.js']],
  ['bun, one executable', ['bun', 'build', 'app.mjs', '--compile', '--outfile', 'out/compiled/app'], 'out/compiled', ['./app']],
  ['bun, for Node', ['bun', 'build', 'app.mjs', '--target=node', '--conditions', 'module', '--outfile', 'out/bunnode/app.mjs'], 'out/bunnode', ['node', 'app.mjs']],
];

const folder = join(dev, 'work');
const run = ([command, ...args], cwd) => spawnSync(existsSync(bin(command)) ? bin(command) : command, args, { cwd, encoding: 'utf8', env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', DENO_NO_UPDATE_CHECK: '1' } });

before(() => {
  if (skip) return;
  rmSync(folder, { recursive: true, force: true });
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  writeFileSync(join(folder, 'next.config.mjs'), `export default { turbopack: { root: '${dev}' }, outputFileTracingRoot: '${dev}' };\n`);
});
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [name, build, out, start] of BUNDLES) {
  test(name, { skip, timeout: 120_000 }, () => {
    const built = run(build, folder);
    assert.equal(built.status, 0, built.stdout + built.stderr);
    const elsewhere = mkdtempSync(join(tmpdir(), 'toolsure-bundle-'));
    try {
      cpSync(join(folder, out), elsewhere, { recursive: true });
      const { stdout, stderr } = run(start, elsewhere);
      assert.equal(stdout.trim(), SAID, stderr);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });
}

for (const command of [['bun', 'app.mjs'], ['deno', 'run', '--allow-read', 'app.mjs']]) {
  test(`${command[0]} runs it as it is`, { skip, timeout: 60_000 }, () => {
    const { stdout, stderr } = run(command, folder);
    assert.equal(stdout.trim(), SAID, stderr);
  });
}

for (const bundler of ['--turbopack', '--webpack']) {
  test(`next build ${bundler}, with both runtimes`, { skip, timeout: 240_000 }, async () => {
    rmSync(join(folder, '.next'), { recursive: true, force: true });
    const built = run(['next', 'build', bundler], folder);
    assert.equal(built.status, 0, built.stdout + built.stderr);
    const port = await freePort();
    const server = spawn(bin('next'), ['start', '-H', '127.0.0.1', '-p', String(port)], { cwd: folder, detached: true, stdio: 'ignore' });
    try {
      for (const runtime of ['node', 'edge']) assert.equal(await answer(`http://127.0.0.1:${port}/api/${runtime}`), SAID, runtime);
    } finally {
      process.kill(-server.pid);
    }
  });
}

const chromium = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);

test('vite, for a browser', { skip: skip || (chromium ? false : 'needs chromium'), timeout: 120_000 }, async () => {
  const built = run(['vite', 'build', '--config', 'vite.page.mjs'], folder);
  assert.equal(built.status, 0, built.stdout + built.stderr);
  const root = join(folder, 'out/page');
  const types = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm' };
  let tell;
  const told = new Promise((resolve) => (tell = resolve));
  const server = createServer(async (request, response) => {
    if (request.url === '/said') {
      let text = '';
      for await (const part of request) text += part;
      tell(text);
    }
    const name = request.url === '/' ? '/index.html' : request.url;
    const path = join(root, name);
    if (!existsSync(path)) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': types[name.split('.').pop()], 'content-security-policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'" }).end(readFileSync(path));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const profile = mkdtempSync(join(tmpdir(), 'toolsure-chromium-'));
  const browser = spawn(chromium, ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore' });
  try {
    assert.equal(await told, SAID);
    assert.ok(readdirSync(join(root, 'assets')).some((name) => name.endsWith('.wasm')));
  } finally {
    const gone = new Promise((resolve) => browser.once('exit', resolve));
    browser.kill();
    await gone;
    server.close();
    try {
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // Its own processes write for a moment longer; what is left lies in the folder for temporary files.
    }
  }
});

test('a bundle without its file says what to do', { skip }, () => {
  const built = run(['bun', 'build', 'app.mjs', '--target=node', '--outfile', 'out/lost/app.mjs'], folder);
  assert.equal(built.status, 0, built.stderr);
  const { stderr } = run(['node', 'out/lost/app.mjs'], folder);
  assert.match(stderr, /A bundler has left the WebAssembly file out: docs\/typescript\.md says how to bundle/);
});

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function answer(url) {
  for (let tries = 0; ; tries++) {
    try {
      return await (await fetch(url)).text();
    } catch (error) {
      if (tries > 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
