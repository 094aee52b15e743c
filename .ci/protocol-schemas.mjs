// Writes the protocol's own schema.json files, one folder for each version, from the
// official conformance package, which carries them as object literals in its bundle.
//
//     node .ci/protocol-schemas.mjs PACKAGE/dist/index.js OUTPUT
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

const [bundle, output] = process.argv.slice(2);
const source = fs.readFileSync(bundle, 'utf8');

// The end of the object literal that opens at `start`, quotes and templates skipped.
function literalEnd(start) {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    const c = source[at];
    if (c === '`' || c === '"' || c === "'") {
      for (at += 1; source[at] !== c; at += 1) if (source[at] === '\\') at += 1;
    } else if (c === '{') {
      depth += 1;
    } else if (c === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return source.length;
}

// What each version added tells them apart; the literals do not say.
function versionOf(definitions) {
  if (definitions.DiscoverResult) return '2026-07-28';
  if (definitions.CreateTaskResult) return '2025-11-25';
  if (definitions.CallToolResult.properties.structuredContent) return '2025-06-18';
  return definitions.ToolAnnotations ? '2025-03-26' : '2024-11-05';
}

const opening = /=\{\$schema:`https?:\/\/json-schema\.org\/draft[^`]*`,/g;
let written = 0;
for (let match = opening.exec(source); match; match = opening.exec(source)) {
  const start = match.index + 1;
  const text = source.slice(start, literalEnd(start));
  if (!text.includes('ListToolsResult')) continue;
  const schema = vm.runInNewContext(`(${text})`, {}, { timeout: 5000 });
  const definitions = schema.$defs ?? schema.definitions;
  if (!definitions?.ListToolsResult) continue;
  const folder = path.join(output, versionOf(definitions));
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'schema.json'), JSON.stringify(schema));
  written += 1;
}
if (written < 4) {
  console.error(`found ${written} protocol schemas in ${bundle}, expected at least 4`);
  process.exit(1);
}
console.log(`${written} protocol schemas in ${output}`);
