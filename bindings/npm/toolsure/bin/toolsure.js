#!/usr/bin/env node
'use strict';

// Finds the program for this platform and runs it: arguments, standard streams, signals and the exit code
// pass through. There is no install script; package managers choose the platform package by its `os`, `cpu`
// and `libc`.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const tty = require('node:tty');

const { optionalDependencies = {}, version } = require('../package.json');

/** Whether this Node uses musl: the loader is named at the start of its own file. */
function usesMusl() {
  let head = '';
  try {
    const file = fs.openSync(process.execPath, 'r');
    const bytes = Buffer.alloc(8192);
    head = bytes.toString('latin1', 0, fs.readSync(file, bytes, 0, bytes.length, 0));
    fs.closeSync(file);
  } catch {
    // The report below says it too.
  }
  if (head.includes('/ld-musl-')) return true;
  if (head.includes('/ld-linux')) return false;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

function packageName() {
  const libc = process.platform === 'linux' && usesMusl() ? '-musl' : '';
  return `@toolsure/cli-${process.platform}-${process.arch}${libc}`;
}

function fail(message) {
  process.stderr.write(`toolsure: ${message}\n`);
  // As a shell has it where a command is not found.
  process.exit(127);
}

function program() {
  const chosen = process.env.TOOLSURE_BINARY;
  if (chosen) return chosen;
  const name = packageName();
  const file = process.platform === 'win32' ? 'toolsure.exe' : 'toolsure';
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    const repair = [
      'Or set TOOLSURE_BINARY to a toolsure program.',
    ];
    if (!(name in optionalDependencies)) {
      return fail([`there is no program for ${process.platform}-${process.arch}.`, 'Build it with cargo.', ...repair].join('\n  '));
    }
    return fail(
      [
        `the package ${name}, which holds the program for this platform, is not installed.`,
        'Package managers leave it out when they are told to omit optional dependencies, when node_modules',
        'comes from another platform, or when a lock file was written on one (npm/cli#4828). To repair it:',
        `  npm install ./${name.replace('@toolsure/', 'toolsure-')}-${version}.tgz`,
        '(nothing is uploaded to a registry yet; bindings/npm/build.mjs in the repository makes this file)',
        'or delete node_modules and the lock file, and install again without --omit=optional (npm),',
        '--no-optional (pnpm, yarn) or --omit optional (bun).',
        ...repair,
      ].join('\n  '),
    );
  }
}

const path = program();

// Before the program starts: a signal in between would end this process alone. Handlers run when the event
// loop turns, so the program is there by then. A terminal sends its signals to the whole group, so the program
// has those already; a second one would mean "at once" to it.
const terminal = [0, 1, 2].some((stream) => tty.isatty(stream));
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR2']) {
  const shared = signal === 'SIGINT' || signal === 'SIGQUIT';
  process.on(signal, () => {
    if (!(shared && terminal)) child.kill(signal);
  });
}

const child = spawn(path, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (error) => {
  fail(`cannot run ${path}: ${error.message}`);
});
child.on('exit', (code, signal) => {
  process.exit(signal === null ? code : 128 + os.constants.signals[signal]);
});
