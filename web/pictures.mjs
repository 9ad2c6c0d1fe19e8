// Makes the pictures of README.md and docs/report.md: npm run pictures -- TIDELINE FOLDER
// The program checks models of this repository; its data is shown by the page as it is built here, so that the pictures
// are up to date with both. Needs `npm run build` first, and Chromium.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const [program, folder] = process.argv.slice(2).map((path) => resolve(process.env.INIT_CWD ?? ".", path));
if (!program || !folder) {
  console.error("usage: npm run pictures -- TIDELINE FOLDER");
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), "tideline-pictures-"));
const template = readFileSync(join(here, "dist", "page.html"), "utf8");
const root = join(here, "..");

/** The first model of the README, and what it is asked there. */
function first_model() {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  writeFileSync(join(work, "counter.dve"), /<!-- file: counter\.dve -->\n```\n(.*?)```/s.exec(readme)[1]);
  return { cwd: work, model: "counter.dve", options: ["--invariant", /--invariant "(.*?)" --report/.exec(readme)[1]] };
}

const pictures = [
  { name: "report-first", ...first_model(), place: "#run?step=3" },
  { name: "report-run", model: "abp-broken.dve", place: "#run?step=11", select: 'tr[data-row="data"] button' },
  { name: "report-explained", model: "ring-same-ids.dve", options: ["--invariant", "leaders == 0", "--explain"], place: "#run?step=3" },
  { name: "report-sequence", model: "abp-broken.dve", place: "#sequence?step=18" },
  { name: "report-graph", model: "peterson-broken.dve", place: "#graph?step=4", wait: ".drawing .node" },
  { name: "report-explored", model: "abp-broken.dve", place: "#explored", dark: true, wait: ".u-over" },
];

function page_of({ model, cwd = root, options = ["--all"] }) {
  const file = join(work, `${model}.html`);
  const path = cwd === root ? `models/${model}` : model;
  const result = spawnSync(program, ["check", path, ...options, "--quiet", "--report", file], { cwd, encoding: "utf8" });
  if (result.status !== 0 && result.status !== 1) throw new Error(`${program} failed: ${result.stderr}`);
  const data = /id="tideline-data">(.*?)<\/script>/s.exec(readFileSync(file, "utf8"))?.[1];
  if (!data) throw new Error(`${file} has no data`);
  const shown = JSON.parse(data);
  shown.command = ["tideline", "check", path, ...options, "--report", model.replace(/\.\w+$/, ".html")];
  writeFileSync(
    file,
    template.replace("@TIDELINE_DATA@", () => JSON.stringify(shown).replace(/</g, "\\u003c")),
  );
  return file;
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
for (const picture_of of pictures) {
  const { name, place, select, wait, dark } = picture_of;
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: dark ? "dark" : "light" });
  await page.goto(pathToFileURL(page_of(picture_of)).href + place);
  await page.waitForSelector("#view");
  if (select) await page.click(select);
  if (wait) await page.waitForSelector(wait);
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  const picture = await page.screenshot();
  // The browser writes WebP, which is half the size of PNG here.
  const packed = await page.evaluate(async (text) => {
    const image = new Image();
    image.src = `data:image/png;base64,${text}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.9).split(",")[1];
  }, picture.toString("base64"));
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(packed, "base64"));
  await page.close();
}
await browser.close();
rmSync(work, { recursive: true });
