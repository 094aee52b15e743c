// The code of docs/typescript.md, run as it is there.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

const page = readFileSync(new URL('../../../docs/typescript.md', import.meta.url), 'utf8');

test('docs/typescript.md', async () => {
  const code = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map((block) => block[1]).join('\n');
  let shown = 0;
  const checked = code.replace(/^(.+?); \/\/ → (.+)$/gm, (_, expression, expected) => {
    shown++;
    return `assert.deepEqual(${expression}, ${expected});`;
  });
  assert.ok(shown > 12, `${shown} lines are checked`);
  const file = new URL(`./docs-${process.pid}.mjs`, import.meta.url);
  writeFileSync(file, `import assert from 'node:assert/strict';\n${checked}`);
  try {
    await import(file);
  } finally {
    rmSync(file);
  }
});
