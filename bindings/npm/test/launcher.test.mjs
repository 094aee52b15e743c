// The launcher and the packages, installed from files.
//
// The program is a stand-in, except where TOOLSURE_PROGRAM names a real one.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const launcher = join(here, 'toolsure', 'bin', 'toolsure.js');
const real = process.env.TOOLSURE_PROGRAM;
let folder;
let standIn;

// Says its arguments and the signals it gets; ends by what its first argument says.
const STAND_IN = `#!/bin/sh
trap 'echo got TERM; exit 7' TERM
trap 'echo got INT; exit 8' INT
trap 'echo got HUP; exit 9' HUP
case "$1" in
exit) exit "$2" ;;
die) trap - "$2"; kill -"$2" $$; sleep 5 ;;
cat) cat; echo "end of input"; exit 0 ;;
wait) echo ready; while :; do sleep 0.05; done ;;
*) printf '<%s>' "$@"; echo; echo err >&2 ;;
esac
`;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolsure-npm-'));
  standIn = join(folder, 'stand-in');
  writeFileSync(standIn, STAND_IN);
  chmodSync(standIn, 0o755);
});
after(() => rmSync(folder, { recursive: true }));

const launch = (args, options = {}) =>
  spawnSync(process.execPath, [launcher, ...args], { encoding: 'utf8', env: { ...process.env, TOOLSURE_BINARY: standIn }, ...options });

test('arguments and both outputs pass through', () => {
  const { status, stdout, stderr } = launch(['a b', '', '--x=*', "'"]);
  assert.deepEqual([status, stdout, stderr], [0, "<a b><><--x=*><'>\n", 'err\n']);
});

test('exit codes pass through; a signal is 128 and its number', () => {
  for (const code of [0, 1, 2, 6, 77, 255]) assert.equal(launch(['exit', String(code)]).status, code);
  for (const [signal, number] of [['KILL', 9], ['ABRT', 6], ['TERM', 15]]) {
    const { status, signal: own } = launch(['die', signal]);
    assert.deepEqual([status, own], [128 + number, null], signal);
  }
});

test('standard input passes through, and its end', () => {
  assert.equal(launch(['cat'], { input: 'one\ntwo' }).stdout, 'one\ntwoend of input\n');
  const closed = spawnSync('sh', ['-c', `exec "$0" "$1" cat <&-`, process.execPath, launcher], {
    encoding: 'utf8',
    env: { ...process.env, TOOLSURE_BINARY: standIn },
  });
  // Node opens /dev/null where a standard stream is closed.
  assert.deepEqual([closed.status, closed.stdout], [0, 'end of input\n']);
});

for (const [signal, code, said] of [['SIGTERM', 7, 'TERM'], ['SIGINT', 8, 'INT'], ['SIGHUP', 9, 'HUP']]) {
  const works = spawnSync('sh', ['-c', `trap 'exit 9' ${said}; kill -${said} $$`]).status === 9;
  const skip = works ? false : `${signal} is ignored where this runs`;
  test(`${signal} reaches the program, whose end is the launcher's`, { timeout: 60_000, skip }, async () => {
    const child = spawn(process.execPath, [launcher, 'wait'], { env: { ...process.env, TOOLSURE_BINARY: standIn }, stdio: ['ignore', 'pipe', 'ignore'] });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      out += chunk;
      if (chunk.includes('ready')) child.kill(signal);
    });
    const [status] = await once(child, 'close');
    assert.deepEqual([status, out], [code, `ready\ngot ${said}\n`]);
  });
}

test('without the platform package the launcher says how to repair it', () => {
  const copy = join(folder, 'alone');
  cpSync(join(here, 'toolsure'), copy, { recursive: true });
  const manifest = { name: 'toolsure', version: '0.1.0', optionalDependencies: { [`@toolsure/cli-${process.platform}-${process.arch}`]: '0.1.0' } };
  writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest));
  const env = { ...process.env };
  delete env.TOOLSURE_BINARY;
  const run = spawnSync(process.execPath, [join(copy, 'bin', 'toolsure.js'), 'check'], { encoding: 'utf8', env });
  assert.equal(run.status, 127);
  assert.match(run.stderr, /npm install \.\/toolsure-cli-\S+-0\.1\.0\.tgz\n.*nothing is uploaded/);
  assert.match(run.stderr, /TOOLSURE_BINARY/);
  const gone = launch([], { env: { ...env, TOOLSURE_BINARY: join(folder, 'gone') } });
  assert.equal(gone.status, 127);
  assert.match(gone.stderr, /cannot run .*gone/);
});

test('the packages from files', { timeout: 300_000 }, async (t) => {
  const dist = join(folder, 'dist');
  mkdirSync(dist);
  execFileSync(process.execPath, [join(here, 'build.mjs'), '--binary', real ?? standIn, '--out', dist]);
  assert.deepEqual(readdirSync(dist).sort(), ['toolsure-0.1.0-linux-x64.tgz', 'toolsure-0.1.0.tgz', 'toolsure-cli-linux-x64-0.1.0.tgz']);
  const one = join(dist, 'toolsure-0.1.0-linux-x64.tgz');
  const two = [join(dist, 'toolsure-0.1.0.tgz'), join(dist, 'toolsure-cli-linux-x64-0.1.0.tgz')];
  const args = real ? ['check', '--demo'] : ['check', '--demo'];
  const holds = (run, what) => {
    if (real) {
      assert.match(run.stdout, /TL\d+|finding|tool/i, `${what}: ${run.stderr}`);
    } else {
      assert.equal(run.stdout, '<check><--demo>\n', `${what}: ${run.stderr}`);
    }
  };
  const env = { ...process.env };
  delete env.TOOLSURE_BINARY;
  const run = (command, list, cwd) => spawnSync(command, list, { cwd, encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });

  await t.test('npx with one file', () => {
    holds(run('npx', ['--yes', `file:${one}`, ...args], folder), 'npx');
  });

  const managers = {
    npm: (files) => ['npm', ['install', '--silent', '--no-audit', '--no-fund', '--offline', ...files]],
    pnpm: (files) => ['pnpm', ['add', '--silent', '--offline', ...files]],
    bun: (files) => ['bun', ['add', ...files]],
    // Versions 1 and 4 look the packages of all platforms up in the registry, so `resolutions` names a file for each.
    yarn: () => ['yarn', ['install']],
  };
  const { optionalDependencies } = JSON.parse(execFileSync('tar', ['-xzOf', two[0], 'package/package.json'], { encoding: 'utf8' }));
  const manifest = { name: 'p', version: '1.0.0', private: true };
  const withFiles = {
    ...manifest,
    dependencies: { toolsure: `file:${two[0]}` },
    resolutions: Object.fromEntries(Object.keys(optionalDependencies).map((name) => [name, `file:${two[1]}`])),
  };
  for (const [manager, add] of Object.entries(managers)) {
    const found = spawnSync(manager, ['--version'], { encoding: 'utf8' });
    await t.test(manager, { skip: found.status === 0 ? false : `${manager} is not installed` }, () => {
      const project = join(folder, manager);
      mkdirSync(project);
      writeFileSync(join(project, 'package.json'), JSON.stringify(manager === 'yarn' ? withFiles : manifest));
      if (manager === 'yarn') {
        // The folder is a project of its own, with the links that version 1 makes.
        writeFileSync(join(project, 'yarn.lock'), '');
        writeFileSync(join(project, '.yarnrc.yml'), 'nodeLinker: node-modules\nenableGlobalCache: false\n');
      }
      const [command, list] = add(two);
      const added = run(command, list, project);
      assert.equal(added.status, 0, `${added.stdout}${added.stderr}`);
      const bin = join(project, 'node_modules', '.bin', 'toolsure');
      assert.ok(existsSync(bin));
      holds(run(bin, args, project), manager);
    });
  }
});

test('musl is seen in the file of the Node that runs', () => {
  const copy = join(folder, 'musl');
  cpSync(join(here, 'toolsure'), copy, { recursive: true });
  writeFileSync(join(copy, 'package.json'), JSON.stringify({ version: '0.1.0' }));
  const packaged = join(copy, 'node_modules', '@toolsure', `cli-linux-${process.arch}-musl`, 'bin');
  mkdirSync(packaged, { recursive: true });
  symlinkSync(standIn, join(packaged, 'toolsure'));
  // A file that begins as a Node for musl does, in the place of this one's.
  const fake = join(folder, 'fake-node');
  writeFileSync(fake, '\x7fELF/lib/ld-musl-x86_64.so.1');
  const env = { ...process.env };
  delete env.TOOLSURE_BINARY;
  const script = `Object.defineProperty(process, 'execPath', { value: ${JSON.stringify(fake)} }); require(${JSON.stringify(join(copy, 'bin', 'toolsure.js'))})`;
  const run = spawnSync(process.execPath, ['-e', script, 'x', 'exit', '5'], { encoding: 'utf8', env });
  assert.equal(run.status, process.platform === 'linux' ? 5 : 127, run.stderr);
});
