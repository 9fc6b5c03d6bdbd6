// The first minute of a new user: from an empty folder with the binary to an answer in the browser.

/** @import { Browser } from 'playwright-core' */
/** @import { CheckedPage } from './browser.mjs' */
/** @import { Service } from './service.mjs' */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, open, screenshot } from './browser.mjs';
import { binary, start } from './service.mjs';

/** How long a person takes for a key, in milliseconds. */
const perKey = 120;

/**
 * input returns the input in which users type commands.
 * @param {CheckedPage} page
 */
export const input = (page) => page.getByRole('textbox', { name: 'Type / to use a command' });

/** formOrSent reports whether the page shows the options of the chosen command, or has sent it. */
const formOrSent = () => {
  /** @type {HTMLTextAreaElement | null} */
  const picker = document.querySelector('.picker textarea');
  return Boolean(document.querySelector('.command-form')) || picker?.value === '';
};

/**
 * type types a command with the keyboard, and sends it without options.
 * @param {CheckedPage} page
 * @param {string} name
 */
export async function type(page, name) {
  await input(page).click();
  await page.keyboard.type(`/${name}`, { delay: perKey });
  const offer = page.locator('[role=listbox]:not([hidden])').getByRole('option', { name: new RegExp(`^/${name}`) });
  await offer.first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForFunction(formOrSent);
  if (await page.locator('.command-form').count()) await page.keyboard.press('Enter');
}

/**
 * A step and the second at which it was over.
 * @typedef {{ name: string, at: number }} Step
 */

/**
 * firstMinute starts the service in an empty folder, opens the page, types / and a command, and waits for the answer.
 * It saves a screenshot of each step. The caller closes the browser and stops the service.
 * @returns {Promise<{ steps: Step[], service: Service, browser: Browser, page: CheckedPage }>}
 */
export async function firstMinute() {
  const began = performance.now();
  /** @type {Step[]} */
  const steps = [];
  /** @param {string} name */
  const done = (name) => steps.push({ name, at: (performance.now() - began) / 1000 });

  const service = await start({ args: ['dev'] });
  done('the service listens');
  const browser = await launch();
  const page = await open(browser, service.origin);
  await page.goto(service.origin);
  await page.getByText('Connected').waitFor();
  done('the page is open');
  await screenshot(page, 'first-minute-1-page');

  await input(page).click();
  await page.keyboard.type('/');
  await page.getByRole('option', { name: /^\/bell/ }).waitFor();
  done('the commands are listed');
  await screenshot(page, 'first-minute-2-commands');
  await page.keyboard.press('Backspace');

  await page.keyboard.type('/bell', { delay: perKey });
  await page.getByRole('option', { name: /^\/bell/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.message', { hasText: 'The bell is on the desk.' }).waitFor();
  done('the app has answered');
  await screenshot(page, 'first-minute-3-answer');
  await page.getByRole('button', { name: 'Ring' }).click();
  await page.locator('.message', { hasText: 'The bell rang once.' }).waitFor();
  done('the button works');
  await screenshot(page, 'first-minute-4-button');
  return { steps, service, browser, page };
}

/**
 * run starts commands of a shell in a folder. It returns the process, and a promise of its end.
 * @param {string} commands
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
function run(commands, folder, env) {
  const child = spawn('bash', ['-e', '-c', commands], { cwd: folder, env, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (d) => {
      output += d;
    });
  }
  /** @type {Promise<string>} */
  const ended = new Promise((resolve, reject) => {
    child.on('exit', (code) =>
      code ? reject(new Error(`${commands}\nexit code ${code}\n${output}`)) : resolve(output),
    );
  });
  ended.catch(() => {}); // for processes without a caller that waits for them
  const stop = () => {
    if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  };
  return { ended, stop };
}

/**
 * blocks returns the shell blocks of the README that bellhop init wrote: the test, the service, the bot. The packages
 * of Python are those of the system.
 * @param {string} folder
 */
function blocks(folder) {
  const text = readFileSync(join(folder, 'README.md'), 'utf8').replace(/^python3 -m pip install .*\n/m, '');
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map((m) => m[1]);
}

/** @param {string} url */
const answers = (url) =>
  fetch(url).then(
    (r) => r.ok,
    () => false,
  );

/**
 * available waits until a URL answers.
 * @param {string} url
 */
async function available(url) {
  for (const end = Date.now() + 30000; Date.now() < end; ) {
    if (await answers(url)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not answer`);
}

/**
 * initMinute runs bellhop init in an empty folder, and then the blocks of the README that it wrote, until the bot
 * answers in the browser. The service listens on its default port.
 * @param {string} language
 * @returns {Promise<Step[]>}
 */
export async function initMinute(language) {
  const temp = mkdtempSync(join(tmpdir(), 'bellhop-init-'));
  const bin = join(temp, 'bin');
  mkdirSync(bin);
  symlinkSync(binary(), join(bin, 'bellhop'));
  symlinkSync('/usr/bin/python3', join(bin, 'python3'));
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const origin = 'http://127.0.0.1:8080';
  if (await answers(`${origin}/healthz`))
    throw new Error('the README of bellhop init needs port 8080, which is in use');
  const began = performance.now();
  /** @type {Step[]} */
  const steps = [];
  /** @param {string} name */
  const done = (name) => steps.push({ name: `${language}: ${name}`, at: (performance.now() - began) / 1000 });
  /** @type {(() => unknown)[]} */
  const cleanup = [];
  try {
    await run(`bellhop init --language ${language} bot`, temp, env).ended;
    done('the bot is written');
    const folder = join(temp, 'bot');
    const [test, serve, bot] = blocks(folder);
    await run(test, folder, env).ended;
    done('its scenarios pass');
    const service = run(serve, folder, env);
    cleanup.push(service.stop);
    await Promise.race([available(`${origin}/healthz`), service.ended]);
    cleanup.push(run(bot, folder, env).stop);
    const browser = await launch();
    cleanup.push(() => browser.close());
    const page = await open(browser, origin);
    await page.goto(origin);
    await page.getByText('Connected').waitFor();
    await page.locator('.people .dot:is(.online, .endpoint)').first().waitFor();
    await type(page, 'roll');
    await page.locator('.message', { hasText: 'You rolled' }).waitFor();
    done('the bot has answered');
    await screenshot(page, `first-minute-${language}`);
    return steps;
  } finally {
    for (const end of cleanup.reverse()) await end();
    rmSync(temp, { recursive: true, force: true });
  }
}
