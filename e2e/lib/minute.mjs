// The first minute of a new user: from an empty folder with the binary to an answer in the browser.

/** @import { Browser } from 'playwright-core' */
/** @import { CheckedPage } from './browser.mjs' */
/** @import { Service } from './service.mjs' */
import { launch, open, screenshot } from './browser.mjs';
import { start } from './service.mjs';

/** How long a person takes for a key, in milliseconds. */
const perKey = 120;

/**
 * input returns the input in which users type commands.
 * @param {CheckedPage} page
 */
export const input = (page) => page.getByRole('combobox', { name: 'Type / to use a command' });

/** formOrSent reports whether the page shows the options of the chosen command, or has sent it. */
const formOrSent = () => {
  /** @type {HTMLInputElement | null} */
  const picker = document.querySelector('.picker input');
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
