// What single pages must do besides: go round a cycle, jump to changes, filter, compare two runs, print, and so on.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { ReportData } from "../src/data";
import { check_state, open_tab, shown_values } from "./browser_checks";

interface Special {
  name: string;
  fixture: string;
  place?: string;
  body: (page: Page, report: ReportData) => Promise<void>;
}

const at = (page: Page, p: number) =>
  page.waitForFunction((q) => (document.getElementById("position") as HTMLInputElement | null)?.value === String(q), p);
const steps_shown = (page: Page) =>
  page
    .locator(".steps-pane")
    .first()
    .locator(".step[data-step]")
    .evaluateAll((list) => list.map((row) => Number((row as HTMLElement).dataset.step)));

export const special_checks: Special[] = [
  {
    name: "play goes round the cycle, and stops by keyboard",
    fixture: "lasso",
    place: "#run?step=13",
    body: async (page) => {
      await page.selectOption("#speed", "100");
      await page.locator(".steps").focus();
      await page.keyboard.press(" ");
      // A position before 13 comes after it only by way of the cycle.
      await page.waitForFunction(() => Number((document.getElementById("position") as HTMLInputElement).value) < 13);
      await page.keyboard.press(" ");
      await page.waitForSelector(".play[aria-pressed=false]");
    },
  },
  {
    name: "a finite run stops playing at its end",
    fixture: "protocol",
    place: "#run",
    body: async (page, report) => {
      await page.selectOption("#speed", "100");
      await page.click(".play");
      await at(page, report.runs[0]!.steps.length);
      await page.waitForSelector(".play[aria-pressed=false]");
    },
  },
  {
    name: "the lasso is marked in the list and drawn",
    fixture: "lasso",
    place: "#run",
    body: async (page) => {
      assert.equal(await page.locator('.step[data-step="7"] .cycle-begins').count(), 1);
      assert.ok(((await page.locator('.step[data-step="15"]').textContent()) ?? "").includes("back to state 6"));
      assert.match(
        (await page.locator(".lasso svg").getAttribute("aria-label")) ?? "",
        /stem of 6 steps, then a cycle of 9 steps/,
      );
    },
  },
  {
    name: "n and p jump to changes of the selected variable",
    fixture: "lasso",
    place: "#run",
    body: async (page) => {
      await page.click('tr[data-row="phil_0.meals"] button');
      const expected = [6, 9, 12, 15];
      for (const p of expected) {
        await page.keyboard.press("n");
        await at(page, p);
      }
      await page.keyboard.press("p");
      await at(page, 12);
    },
  },
  {
    name: "the filter shows steps and variables by name and by process",
    fixture: "lasso",
    place: "#run?whole=1",
    body: async (page) => {
      await page.locator(".steps").focus();
      await page.keyboard.press("/");
      await page.keyboard.type("phil_2.meals");
      await page.waitForSelector(".filter-state");
      assert.deepEqual(await steps_shown(page), [0, 5]);
      assert.deepEqual([...(await shown_values(page)).keys()], ["phil_2.meals"]);
      await page.click(".filter-state button");
      await page.selectOption("#filter-process", "2");
      assert.deepEqual(await steps_shown(page), [0, 1, 2, 5]);
      // Stepping goes over what is hidden.
      await page.locator(".steps").focus();
      for (const p of [1, 2, 5]) {
        await page.keyboard.press("ArrowRight");
        await at(page, p);
      }
    },
  },
  {
    name: "an explained run shows groups, and what matters; e switches to the whole run",
    fixture: "lasso",
    place: "#run",
    body: async (page, report) => {
      const explained = Array.from({ length: 16 }, (_, step) => step).filter((step) => ![1, 2, 5].includes(step));
      assert.deepEqual(await steps_shown(page), explained);
      assert.deepEqual(await page.locator(".steps .group-name").allTextContents(), ["phil_0", "phil_0"]);
      assert.equal(await page.locator(".steps .group-start").getAttribute("data-step"), "6");
      assert.deepEqual(await page.locator(".steps .folded").allTextContents(), [
        "⋮2 steps that do not matter (1–2)",
        "⋮1 step that does not matter (5)",
      ]);
      assert.deepEqual([...(await shown_values(page)).keys()], ["fork", "phil_0", "phil_0.meals"]);
      assert.match((await page.locator(".explanation summary").textContent()) ?? "", /15 steps, 5 of which matter, in 5 groups; .* had 21/);
      // Stepping goes over what is folded, and says what matters.
      await page.locator(".steps").focus();
      for (const p of [3, 4, 6]) {
        await page.keyboard.press("ArrowRight");
        await at(page, p);
      }
      await page.waitForFunction(() => document.getElementById("spoken-step")?.textContent?.startsWith("Step 6 of 15, which matters"));
      await page.click(".explanation p button");
      await at(page, 3);
      await page.click(".variables-that-matter button:last-child");
      await page.keyboard.press("n");
      await at(page, 6);
      await open_tab(page, "sequence");
      assert.equal(await page.locator(".sequence .group-line").count(), 2);
      assert.equal(await page.locator(".sequence .group-start").count(), 1);
      assert.equal(await page.locator(".sequence .folded-steps").count(), 2);
      await page.keyboard.press("e");
      await page.waitForSelector('.sequence .hit[data-step="5"]');
      assert.equal(await page.locator(".sequence .group-line").count(), 0);
      await open_tab(page, "run");
      assert.equal((await steps_shown(page)).length, report.runs[0]!.steps.length + 1);
      assert.deepEqual(
        await page.locator(".step:has(.matters .sr-only)").evaluateAll((list) => list.map((row) => Number((row as HTMLElement).dataset.step))),
        [3, 4, 6, 7, 8],
      );
      assert.equal(await page.locator("table.variables tr:has(.matters)").count(), 3);
      // The choice is in the address.
      await page.waitForFunction(() => location.hash.includes("whole=1"));
      await page.reload();
      await page.waitForSelector('.choice button[aria-pressed="true"]:has-text("Whole run")');
      await page.click(".choice button:has-text('Explained')");
      await page.waitForSelector(".steps .folded");
    },
  },
  {
    name: "two runs side by side, with their first difference",
    fixture: "protocol",
    place: "#run",
    body: async (page, report) => {
      await page.selectOption("#second-choice", "1");
      await page.waitForSelector(".comparison");
      assert.match((await page.locator(".comparison").textContent()) ?? "", /differ first in step 4/);
      await page.click(".comparison button");
      await at(page, 4);
      assert.equal(await page.locator(".steps-pane").count(), 2);
      assert.ok((await page.locator("tr.different").count()) > 0);
      assert.equal(await page.locator(".badge.differs").count(), 2);
      await check_state(page, report, report.runs[0]!, 4);
      // The place is in the address, so that a link leads to the same comparison.
      await page.waitForFunction(() => location.hash.includes("second=1") && location.hash.includes("step=4"));
      await page.reload();
      await page.waitForSelector(".badge.differs");
    },
  },
  {
    name: "the sequence chart has an arrow for each message",
    fixture: "protocol",
    place: "#sequence",
    body: async (page) => {
      assert.deepEqual(await page.locator(".arrow title").allTextContents(), [
        "data: 0, 0: from Sender (step 1) to Receiver (step 4)",
        "data: 0, 0: from Sender (step 3) to Loss (step 7)",
        "ack: 1: from Receiver (step 5) to Sender (step 5)",
        "data: 1, 1: from Sender (step 6) to Receiver (step 8)",
        "data: 1, 1: sent by Sender, still in the channel at the end of the run",
        "ack: 2: from Receiver (step 11) to Sender (step 11)",
      ]);
      await page.click('.hit[data-step="6"]');
      await at(page, 6);
      await page.selectOption("#run-choice", "1");
      await page.waitForSelector(".bar-mark");
    },
  },
  {
    name: "the source shows the lines that move and how often each was taken",
    fixture: "protocol",
    place: "#source?step=5",
    body: async (page, report) => {
      assert.deepEqual(
        await page.locator(".line.moved").evaluateAll((list) => list.map((line) => (line as HTMLElement).dataset.line)),
        ["9", "18"],
      );
      assert.equal(await page.locator('.line[data-line="8"] .taken').textContent(), String(report.exploration!.actions[0]));
      await open_tab(page, "coverage");
      await page.locator(".line-link").first().click();
      await page.waitForSelector("#view[data-tab=source] .line.pointed");
    },
  },
  {
    name: "a hundred thousand steps: open, scroll, jump, filter, with few nodes",
    fixture: "long",
    place: "#run",
    body: async (page, report) => {
      const run = report.runs[0]!;
      assert.equal(run.steps.length, 100_000);
      await page.locator(".steps").focus();
      await page.keyboard.press("End");
      await check_state(page, report, run, 100_000);
      await page.locator(".steps").evaluate((list) => (list.scrollTop = list.scrollHeight / 2));
      await page.waitForFunction(() =>
        [...document.querySelectorAll<HTMLElement>(".step")].some((row) => Math.abs(Number(row.dataset.step) - 50_000) < 100),
      );
      const step = Number(await page.locator(".step").nth(10).getAttribute("data-step"));
      await page.locator(".step").nth(10).click();
      await check_state(page, report, run, step);
      assert.ok((await page.evaluate(() => document.querySelectorAll("*").length)) < 3000);
      await page.fill("#filter-text", "phil_4.meals");
      await page.waitForSelector(".filter-state");
      assert.ok((await page.locator(".step").count()) < 100);
      await open_tab(page, "sequence");
      assert.ok((await page.evaluate(() => document.querySelectorAll("*").length)) < 3000);
    },
  },
  {
    name: "a net shows its marked places, those never marked, and no lanes",
    fixture: "net",
    place: "#run",
    body: async (page) => {
      assert.deepEqual([...(await shown_values(page))], [["store", "3"]]);
      await open_tab(page, "coverage");
      assert.match((await page.locator("#view").textContent()) ?? "", /Places never marked.*broken/s);
      await open_tab(page, "sequence");
      assert.match((await page.locator("#view").textContent()) ?? "", /no processes/);
    },
  },
  {
    name: "a state of the graph shows its values",
    fixture: "net",
    place: "#graph",
    body: async (page, report) => {
      await page.waitForSelector(".drawing .node");
      assert.equal(await page.locator(".drawing .node").count(), report.graph!.states.length);
      await page.locator(".drawing .node").nth(5).focus();
      await page.keyboard.press("Enter");
      await page.waitForSelector('.state-details[aria-label="State 5"]');
      const state = report.graph!.states[5]!;
      const marked = report.model!.slots.filter((_, s) => state[s] !== 0).map((slot) => slot.name);
      assert.deepEqual(await page.locator(".state-details th").allTextContents(), marked);
      assert.ok((await page.locator(".node.on-run").count()) > 1);
    },
  },
  {
    name: "a graph is folded by a chosen set of variables",
    fixture: "lasso",
    place: "#graph",
    body: async (page, report) => {
      for (const box of await page.locator(".fold-by input:checked").all()) await box.uncheck();
      for (const name of ["phil_0", "phil_1"]) await page.getByLabel(name, { exact: true }).check();
      await page.waitForFunction(() => document.querySelector(".legend b")?.textContent === "phil_0, phil_1");
      const [a, b] = ["phil_0", "phil_1"].map((name) => report.model!.slots.findIndex((slot) => slot.name === name));
      const classes = new Set(report.graph!.states.map((state) => `${state[a!]},${state[b!]}`));
      await page.waitForFunction((n) => document.querySelectorAll(".drawing .node").length === n, classes.size);
      assert.ok((await page.locator(".drawing .node.on-run").count()) > 1);
    },
  },
  {
    name: "control graphs mark the location and what was never taken",
    fixture: "lasso",
    place: "#processes?step=2",
    body: async (page) => {
      await page.waitForFunction(() => document.querySelectorAll(".process svg").length === 4);
      const here = await page
        .locator(".process")
        .evaluateAll((list) => list.map((process) => process.querySelector(".node.here text")?.textContent));
      assert.deepEqual(here, ["think", "think", "eat", "think"]);
      assert.equal(await page.locator(".edge.never").count(), 4);
      assert.equal(await page.locator(".edge.current").count(), 1);
    },
  },
  {
    name: "a step that fails is the last of its run",
    fixture: "failure",
    place: "#run?step=2",
    body: async (page) => {
      assert.match((await page.locator(".step.failure").textContent()) ?? "", /value 300 does not fit/);
    },
  },
  {
    name: "parts that are missing say how to get them",
    fixture: "bare",
    body: async (page) => {
      for (const id of ["run", "sequence", "explored", "coverage", "graph", "processes", "source"]) {
        await open_tab(page, id);
        assert.ok(await page.locator(".missing").isVisible(), id);
      }
    },
  },
  {
    name: "prints the verdicts and the run as a table",
    fixture: "lasso",
    body: async (page, report) => {
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      // Of 15 steps three are folded, into two rows; two groups have their names.
      assert.equal(await page.locator("#print .printed-run tbody tr").count(), report.runs[0]!.steps.length - 3 + 2 + 2);
      assert.equal(await page.locator("#print .printed-run tr.group").count(), 2);
      assert.equal(await page.locator("#print .properties tbody tr").count(), report.answer.properties.length);
      assert.equal(await page.locator("main").isVisible(), false);
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      assert.equal(await page.locator("#print *").count(), 0);
    },
  },
  {
    name: "tabs work by keyboard, the step is read out, and the theme can be switched",
    fixture: "lasso",
    body: async (page) => {
      await page.locator("#tab-verdicts").focus();
      await page.keyboard.press("ArrowRight");
      await page.waitForSelector("#view[data-tab=run]");
      await page.locator(".steps").focus();
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction(() =>
        document.getElementById("spoken-step")?.textContent?.startsWith("Step 3 of 15, which matters: phil_0: think -> one"),
      );
      await page.click(".theme");
      await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
      await page.goBack();
      await page.waitForSelector("#view[data-tab=verdicts]");
    },
  },
  {
    name: "narrow windows have no sideways scroll",
    fixture: "protocol",
    body: async (page) => {
      await page.setViewportSize({ width: 380, height: 800 });
      for (const id of ["verdicts", "run", "sequence", "explored", "coverage", "graph", "processes", "source"]) {
        await open_tab(page, id);
        const [content, window_width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok((content ?? 0) <= (window_width ?? 0) + 1, `${id}: ${content} > ${window_width}`);
      }
    },
  },
  {
    name: "the licences are in the page",
    fixture: "bare",
    body: async (page) => {
      const text = (await page.locator("footer pre").textContent()) ?? "";
      for (const name of ["preact", "@preact/signals", "uplot", "@dagrejs/dagre", "d3-force"])
        assert.ok(text.includes(name), name);
    },
  },
];
