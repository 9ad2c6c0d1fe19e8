// Opens pages in a real browser and drives them: npm run test:browser [-- FOLDER|PAGE.html...]
// Without pages it makes those of the fixtures and also tests what is special in each. With pages that the program
// wrote it compares what is shown with the data in the page, and with NAME.json beside NAME.html (the answer of --json).

import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Browser, type Page, chromium } from "playwright-core";
import type { Answer } from "../src/data";
import { check_page, check_verdicts, data_of } from "./browser_checks";
import { special_checks } from "./browser_special";
import { fixtures, make_pages, page_with } from "./fixtures";

const program = process.env.CHROMIUM ?? "/usr/bin/chromium";
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let failures = 0;

/** Runs a test on a fresh page; requests to the network and errors on the console fail it. */
async function test(
  browser: Browser,
  name: string,
  body: (page: Page) => Promise<void>,
  allowed = /^(file|data|blob):/,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`error in the page: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!allowed.test(request.url())) complaints.push(`request to ${request.url()}`);
  });
  page.setDefaultTimeout(60_000);
  try {
    await body(page);
    if (complaints.length > 0) throw new Error(complaints.join("\n"));
    console.log(`ok      ${name}`);
  } catch (error) {
    failures++;
    console.log(`FAILED  ${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    if (complaints.length > 0) console.log(complaints.join("\n"));
  } finally {
    await context.close();
  }
}

async function open(page: Page, file: string, place = ""): Promise<void> {
  await page.goto(pathToFileURL(file).href + place);
  await page.waitForSelector("#view, .missing");
}

function pages_in(paths: string[]): string[] {
  return paths.flatMap((path) => {
    if (!existsSync(path)) throw new Error(`no such file or folder: ${path}`);
    if (!statSync(path).isDirectory()) return [resolve(path)];
    const found = readdirSync(path)
      .filter((name) => name.endsWith(".html"))
      .sort();
    if (found.length === 0) throw new Error(`no pages in ${path}`);
    return found.map((name) => resolve(path, name));
  });
}

async function test_given_pages(browser: Browser, files: string[]): Promise<void> {
  for (const file of files)
    await test(browser, basename(file), async (page) => {
      await open(page, file);
      const json = file.replace(/\.html$/, ".json");
      if (existsSync(json)) await check_verdicts(page, (JSON.parse(readFileSync(json, "utf8")) as Answer).properties);
      await check_page(page, await data_of(page));
    });
}

/** A run in progress, served as the program does: the page polls data.json until the run has ended. */
async function test_live(browser: Browser, template: string): Promise<void> {
  const report = fixtures.live!();
  let asked = 0;
  const server = createServer((request, reply) => {
    if (request.url?.endsWith("data.json")) {
      asked++;
      report.live = { ...report.live!, time_s: 12.5 + asked, ended: asked >= 2, phase: "sweep 2" };
      if (report.live.ended) report.answer.properties = fixtures.lasso!().answer.properties;
      reply.setHeader("content-type", "application/json");
      reply.end(JSON.stringify(report));
    } else {
      reply.setHeader("content-type", "text/html; charset=utf-8");
      reply.end(
        page_with(template, fixtures.live!()).replace("<head>", '<head><meta name="tideline-live" content="data.json">'),
      );
    }
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await test(
    browser,
    "a run in progress is followed to its end",
    async (page) => {
      await page.goto(`http://127.0.0.1:${port}/token/#explored`);
      await page.waitForSelector(".live.ended");
      if ((await page.locator("#view").getAttribute("data-tab")) !== "explored") throw new Error("the reader's place was lost");
      await page.click("#tab-verdicts");
      await check_verdicts(page, report.answer.properties);
      if (asked !== 2) throw new Error(`asked ${asked} times, although the run ended with the second answer`);
    },
    /^(http:\/\/127\.0\.0\.1|data:)/,
  );
  server.close();
}

async function main(): Promise<number> {
  if (!existsSync(program)) {
    console.log(`skipped: no Chromium at ${program}`);
    return Number(process.env.SKIP_CODE ?? 0);
  }
  const browser = await chromium.launch({ executablePath: program, args: flags });
  const given = process.argv.slice(2);
  try {
    if (given.length > 0) {
      await test_given_pages(browser, pages_in(given));
    } else {
      const template = join(dirname(fileURLToPath(import.meta.url)), "..", "page.html");
      const folder = mkdtempSync(join(tmpdir(), "tideline-pages-"));
      for (const [name, file] of make_pages(template, folder))
        await test(browser, `page ${name}`, async (page) => {
          await open(page, file);
          await check_page(page, await data_of(page));
        });
      for (const { name, fixture, place, body } of special_checks)
        await test(browser, name, async (page) => {
          await open(page, join(folder, `${fixture}.html`), place ?? "");
          await body(page, fixtures[fixture]!());
        });
      await test_live(browser, readFileSync(template, "utf8"));
      rmSync(folder, { recursive: true });
    }
  } finally {
    await browser.close();
  }
  console.log(failures === 0 ? "all pages passed" : `${failures} failed`);
  return failures === 0 ? 0 : 1;
}

process.exitCode = await main();
