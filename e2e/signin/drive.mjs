// Runs one scenario in Chromium and prints the result as a line of JSON. Usage: node drive.mjs SCENARIO JSON
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { accessible, launch } from "../lib/browser.mjs";

const [scenario, text] = process.argv.slice(2);
const given = JSON.parse(text);

const browser = await launch();

// The pages work without scripts, so the scenarios disable JavaScript.
const context = await browser.newContext({ javaScriptEnabled: false, ...given.context });
context.setDefaultTimeout(20_000);
const page = await context.newPage();
const consoleErrors = [];
page.on("console", (message) => {
  if (message.type() === "error") consoleErrors.push(message.text());
});

await mkdir(given.artifacts, { recursive: true });
const shot = (name, options) =>
  page.screenshot({ path: path.join(given.artifacts, `signin-${scenario}-${name}.png`), fullPage: true, ...options });

// signIn opens an address and chooses a user on the sign-in page.
async function signIn(url, user) {
  await page.goto(url);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await shot("1-sign-in");
  await page.getByRole("button", { name: user }).click();
}

// tabTo presses Tab until the element has the focus. It returns the number of presses.
async function tabTo(locator) {
  for (let presses = 1; presses < 40; presses++) {
    await page.keyboard.press("Tab");
    if (await locator.evaluate((element) => element === document.activeElement)) return presses;
  }
  throw new Error("the element does not get the focus after 39 presses of Tab");
}

// waitForRedirect waits until the browser opens an address that starts with url.
const waitForRedirect = (url) => page.waitForURL((at) => at.href.startsWith(url), { waitUntil: "commit" });

const scenarios = {
  async consent() {
    await signIn(given.url, "Ada ada");
    await page.getByRole("heading", { name: "Echo asks for your permission" }).waitFor();
    const words = await page.getByRole("listitem").allTextContents();
    const allow = page.getByRole("button", { name: "Allow" });
    await shot("2-consent");
    const presses = await tabTo(allow);
    await shot("3-focus");
    await page.keyboard.press("Enter");
    await waitForRedirect(given.back);
    await shot("4-back");
    return { words, presses };
  },

  async cancel() {
    await signIn(given.url, "Ada ada");
    await page.getByRole("button", { name: "Cancel" }).click();
    await waitForRedirect(given.back);
    return {};
  },

  async install() {
    await signIn(given.url, "Ada ada");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    const guilds = await page.getByLabel("Guild", { exact: true }).locator("option").allTextContents();
    await shot("2-consent");
    await page.getByLabel("Guild", { exact: true }).selectOption({ label: "Den" });
    await page.getByLabel("Do everything, without any limit").uncheck();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "Echo was added" }).waitFor();
    await shot("3-done");
    return { guilds, text: await page.locator("main").innerText() };
  },

  async phone() {
    await signIn(given.url, "Ada ada");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    await shot("2-consent");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("button:not(.link), select, .choice")]
        .map((element) => [element.innerText || element.name, element.getBoundingClientRect().height])
        .filter(([, height]) => height < 40));
    await page.emulateMedia({ colorScheme: "dark" });
    await shot("3-dark");
    return { wide, small };
  },

  async device() {
    await signIn(given.url, "Bob bob");
    await page.getByLabel("Code that the device shows").fill("BBBB-BBBB");
    await page.getByRole("button", { name: "Continue" }).click();
    const fault = await page.getByRole("alert").innerText();
    await shot("2-wrong");
    await page.getByLabel("Code that the device shows").fill(given.code);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Game on a device asks for your permission" }).waitFor();
    await shot("3-asked");
    await page.getByRole("button", { name: given.decision }).click();
    await page.getByRole("heading", { name: given.heading }).waitFor();
    await shot("4-done");
    return { fault };
  },

  // account grants an app access, removes the access on the page of the account, and signs out.
  async account() {
    await signIn(given.url, "Bob bob");
    await page.getByRole("button", { name: "Allow" }).click();
    await waitForRedirect(given.back);
    await page.goto(given.account);
    const before = await page.locator("main").innerText();
    await shot("2-account");
    await page.setViewportSize({ width: 390, height: 844 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await shot("3-phone");
    await page.emulateMedia({ colorScheme: "dark" });
    await shot("4-dark");
    await page.getByRole("button", { name: "Remove access of Echo" }).click();
    const done = await page.getByRole("status").innerText();
    const after = await page.locator("main").innerText();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(given.account);
    const signedOut = await page.getByRole("heading", { name: "Sign in" }).isVisible();
    return { before, done, after, wide, signedOut };
  },

  async unregistered() {
    const response = await page.goto(given.url);
    await shot("1-refused");
    return { status: response.status(), text: await page.getByRole("alert").innerText(), at: page.url() };
  },

  // forged opens the redirect URI with a forged code and state, then signs in correctly.
  async forged() {
    const response = await page.goto(given.forged);
    await shot("1-forged");
    const status = response.status();
    await signIn(given.url, "Bob bob");
    await page.getByRole("button", { name: "Allow" }).click();
    await waitForRedirect(given.back);
    await page.getByText("You are signed in").waitFor();
    await shot("2-right");
    return { status };
  },

  // framed opens a page of another site that embeds the consent page in a frame.
  async framed() {
    await signIn(given.url, "Ada ada");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    await page.goto(given.frame);
    await page.waitForLoadState("load");
    await shot("1-framed");
    const frames = page.frames().filter((frame) => frame !== page.mainFrame());
    const buttons = await Promise.all(frames.map((frame) => frame.locator("button").count().catch(() => 0)));
    return { frames: frames.length, buttons: buttons.reduce((a, b) => a + b, 0) };
  },

  // foreign submits the consent form from a page of another site while the user is signed in.
  async foreign() {
    await signIn(given.url, "Ada ada");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    await page.goto(given.frame);
    await page.getByRole("button", { name: "Win a prize" }).click();
    await page.waitForLoadState("load");
    await shot("1-refused");
    return { at: page.url(), text: await page.locator("body").innerText() };
  },

  // accessibility checks every kind of page with axe, with the light and the dark color scheme. Only this scenario enables
  // JavaScript, because axe needs it.
  async accessibility() {
    const findings = [];
    const check = async (name) => {
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        for (const finding of await accessible(page)) findings.push(`${name} (${colorScheme}) ${finding}`);
      }
    };
    await page.goto(given.url);
    await check("sign in");
    await page.getByRole("button", { name: "Ada ada" }).click();
    await page.getByRole("button", { name: "Allow" }).waitFor();
    await check("consent");
    for (const [name, url] of Object.entries(given.others)) {
      await page.goto(url);
      await check(name);
    }
    return { findings };
  },

  async deeplink() {
    await signIn(given.url, "Bob bob");
    await page.getByRole("button", { name: "Allow" }).click();
    const link = page.getByRole("link", { name: "go on here" });
    await link.waitFor();
    await shot("2-handover");
    return { link: await link.getAttribute("href") };
  },
};

try {
  const seen = await scenarios[scenario]();
  console.log(JSON.stringify({ ...seen, consoleErrors }));
} catch (error) {
  await shot("failed").catch(() => {});
  console.error(`${scenario} at ${page.url()}: ${error.stack}\n${consoleErrors.join("\n")}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
