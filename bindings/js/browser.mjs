// The official suite in a browser, by hand: node browser.mjs chromium
//
// Serves dist/ on 127.0.0.1 under a content security policy without `unsafe-eval`, has the browser run every test
// of the suite in a page, and prints what the page says.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { members, parts } from './test/raw.mjs';
import { shared } from './test/shared.mjs';

const suite = shared('suites/json-schema-test-suite');
if (suite.skip) throw new Error(suite.skip);
const DIALECTS = { draft4: 'draft4', draft6: 'draft6', draft7: 'draft7', 'draft2019-09': '2019-09', 'draft2020-12': '2020-12' };
const files = (folder) =>
  readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.json')).map((name) => join(folder, name));

const remotes = join(suite.path, 'remotes');
const documents = Object.fromEntries(
  files(remotes).filter((path) => !/^(draft3|v1|draft-next)\//.test(relative(remotes, path))).map((path) => [`http://localhost:1234/${relative(remotes, path)}`, readFileSync(path, 'utf8')]),
);
const groups = [];
for (const [folder, dialect] of Object.entries(DIALECTS)) {
  const root = join(suite.path, 'tests', folder);
  for (const path of files(root)) {
    const file = relative(root, path);
    const options = { default_dialect: dialect };
    if (file.startsWith('optional/format/')) options.formats = 'assert';
    if (file === 'optional/content.json') options.content = 'assert';
    for (const group of parts(readFileSync(path, 'utf8')).map(members)) {
      groups.push({ file: `${folder}/${file}`, schema: group.schema, options, tests: parts(group.tests).map(members).map(({ data, valid }) => [data, valid === 'true']) });
    }
  }
}

const PAGE = `<!doctype html><script type="module" src="/run.mjs"></script>`;
const RUN = `
import { Validator } from '/full-browser.js';
const { documents, groups } = await (await fetch('/suite')).json();
let [right, wrong, why] = [0, 0, []];
const from = performance.now();
for (const { file, schema, options, tests } of groups) {
  try {
    const validator = new Validator(schema, { ...options, documents });
    for (const [data, valid] of tests) validator.isValidText(data) === valid ? right++ : (wrong++, why.push(file));
    validator.dispose();
  } catch (error) {
    wrong += tests.length;
    why.push(file + ': ' + error.message);
  }
}
await fetch('/done', { method: 'POST', body: JSON.stringify({ right, wrong, why, ms: Math.round(performance.now() - from), agent: navigator.userAgent }) });
`;
const types = { js: 'text/javascript', mjs: 'text/javascript', wasm: 'application/wasm', html: 'text/html' };
const folder = mkdtempSync(join(tmpdir(), 'toolsure-browser-'));
let browser;
const server = createServer((request, response) => {
  const say = (type, body) => response.writeHead(200, { 'content-type': type, 'content-security-policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'" }).end(body);
  const path = request.url.slice(1);
  if (path === '') return say(types.html, PAGE);
  if (path === 'run.mjs') return say(types.mjs, RUN);
  if (path === 'suite') return say('application/json', JSON.stringify({ documents, groups }));
  if (path === 'done') {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      response.end();
      console.log(body);
      browser.kill();
      server.close();
      browser.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    });
    return undefined;
  }
  if (/^[a-z0-9-]+\.(js|wasm)$/.test(path)) return say(types[path.split('.').pop()], readFileSync(new URL(`dist/${path}`, import.meta.url)));
  return response.writeHead(404).end();
}).listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}/`;
  browser = spawn(process.argv[2] ?? 'chromium', ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}`, url], { stdio: 'ignore' });
});
