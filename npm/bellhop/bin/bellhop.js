#!/usr/bin/env node
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const { binaryPath } = require('../index.js');

/** Runs the binary with the arguments, the streams and the signals of this process, and exits as it does. */
function main() {
  const child = spawn(binaryPath(), process.argv.slice(2), { stdio: 'inherit' });
  const signals = /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.once('error', fail);
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
  });
}

/** @param {Error} err */
function fail(err) {
  console.error(`bellhop: ${err.message}`);
  process.exitCode = 1;
}

try {
  main();
} catch (err) {
  fail(/** @type {Error} */ (err));
}
