// What every page must do, whatever its data: show the verdicts, replay its runs, switch tabs. What is expected is
// computed here from the JSON alone, not by the page's own code.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Model, Property, ReportData, Run } from "../src/data";

export async function data_of(page: Page): Promise<ReportData> {
  return JSON.parse((await page.locator("#tideline-data").textContent()) ?? "") as ReportData;
}

/** A state of a run, by the definition of the format. */
export function state_at(run: Run, position: number): number[] {
  const state = run.initial.slice();
  for (const step of run.steps.slice(0, position))
    for (let i = 0; i < step.c.length; i += 2) state[step.c[i]!] = step.c[i + 1]!;
  return state;
}

/** The values by name that the table of variables must show. */
export function expected_values(model: Model, state: number[]): Map<string, string> {
  const result = new Map<string, string>();
  const in_channel = new Set<number>();
  for (const channel of model.channels) {
    if (channel.length_slot === undefined) continue;
    for (const slot of [channel.length_slot, ...channel.fields]) in_channel.add(model.slots[slot]!.variable);
    const messages = Array.from({ length: state[channel.length_slot]! }, (_, i) => {
      const fields = channel.fields.map((first) => state[first + i]);
      return fields.length > 1 ? `(${fields.join(",")})` : fields.length === 1 ? String(fields[0]) : "•";
    });
    result.set(channel.name, `[${messages.join(",")}]`);
  }
  model.variables.forEach((variable, v) => {
    if (in_channel.has(v)) return;
    const values = Array.from({ length: variable.length }, (_, i) => state[variable.first + i]!);
    const slot = model.slots[variable.first];
    if (variable.array) result.set(variable.name, `[${values.join(", ")}]`);
    else if (slot?.kind === "location")
      result.set(variable.name, model.components[slot.component!]!.locations[values[0]!]!.name);
    else result.set(variable.name, String(values[0]));
  });
  return result;
}

export async function shown_values(page: Page): Promise<Map<string, string>> {
  const rows = await page
    .locator("table.variables tr[data-row]")
    .evaluateAll((list) =>
      list.map((row) => [(row as HTMLElement).dataset.row ?? "", row.querySelector(".now-value")?.textContent ?? ""]),
    );
  return new Map(rows as [string, string][]);
}

export async function check_state(page: Page, report: ReportData, run: Run, position: number): Promise<void> {
  await page.waitForFunction(
    (p) => (document.getElementById("position") as HTMLInputElement | null)?.value === String(p),
    position,
  );
  const state = state_at(run, position);
  const shown = await shown_values(page);
  if (!report.model) {
    assert.deepEqual([...shown.values()], state.map(String));
    return;
  }
  const expected = expected_values(report.model, state);
  const changed = new Set<string>();
  const before = position > 0 ? expected_values(report.model, state_at(run, position - 1)) : expected;
  for (const [name, value] of expected) if (before.get(name) !== value) changed.add(name);
  const is_place = (name: string) => report.model!.slots.some((slot) => slot.kind === "place" && slot.name === name);
  for (const [name, value] of shown) assert.equal(value, expected.get(name), `${name} in state ${position}`);
  // Empty places are left out, and only the first rows of very large tables are there.
  if (shown.size < 400)
    for (const [name, value] of expected)
      assert.ok(
        shown.has(name) || (is_place(name) && value === "0" && !changed.has(name)),
        `${name} is not shown in state ${position}`,
      );
  const marked = await page
    .locator("tr.changed[data-row]")
    .evaluateAll((list) => list.map((row) => (row as HTMLElement).dataset.row ?? ""));
  for (const name of changed)
    if (shown.has(name)) assert.ok(marked.includes(name), `the change of ${name} in step ${position} is not marked`);
}

export async function check_verdicts(page: Page, properties: Property[]): Promise<void> {
  const rows = page.locator("table.properties tbody tr");
  assert.equal(await rows.count(), properties.length);
  for (const [i, property] of properties.entries()) {
    const text = (await rows.nth(i).textContent()) ?? "";
    for (const part of [property.name, property.kind, property.verdict, property.formula, property.reason])
      assert.ok(text.includes(part), `'${part}' is not in '${text}'`);
    assert.equal(await rows.nth(i).locator(`.verdict.${property.verdict}`).count(), 1);
  }
}

export async function open_tab(page: Page, id: string): Promise<void> {
  await page.click(`#tab-${id}`);
  await page.waitForSelector(`#view[data-tab="${id}"]`);
  assert.equal(await page.locator('[role="tab"][aria-selected="true"]').getAttribute("id"), `tab-${id}`);
  assert.ok((new URL(page.url()).hash || "#verdicts").startsWith(`#${id}`), page.url());
  assert.ok(((await page.locator("#view").textContent()) ?? "").trim().length > 20, `the tab ${id} is empty`);
  assert.ok(
    !((await page.locator("#view").textContent()) ?? "").includes("This part cannot be shown"),
    `the tab ${id} has failed`,
  );
}

/** Steps through a run by keyboard and compares every state with the JSON. */
async function check_run(page: Page, report: ReportData, index: number): Promise<void> {
  const run = report.runs[index]!;
  const length = run.steps.length;
  if (report.runs.length > 1) await page.selectOption("#run-choice", String(index));
  const whole = page.locator(".choice button", { hasText: "Whole run" });
  if ((await whole.count()) > 0) await whole.click();
  await page.locator(".steps").focus();
  await check_state(page, report, run, 0);
  for (let p = 1; p <= Math.min(length, 12); p++) {
    await page.keyboard.press("ArrowRight");
    await check_state(page, report, run, p);
  }
  if (length > 1) {
    await page.keyboard.press("ArrowLeft");
    await check_state(page, report, run, Math.min(length, 12) - 1);
  }
  await page.keyboard.press("End");
  await check_state(page, report, run, length);
  if (length > 0) {
    const current = page.locator(".steps-pane .step.current").first();
    await current.waitFor();
    assert.equal(await current.getAttribute("data-step"), String(length));
    const label = report.model?.actions[run.steps[length - 1]!.a]?.label;
    if (label) assert.equal(await current.locator(".action").getAttribute("title"), label);
  }
  if (run.loop !== undefined && run.loop < length) {
    assert.equal(await page.locator(".lasso svg").count(), 1);
    await page.keyboard.press("ArrowRight");
    await check_state(page, report, run, run.loop + 1);
  }
  await page.keyboard.press("Home");
  await check_state(page, report, run, 0);
  assert.ok((await page.locator(".step").count()) < 300, "the list must not have a node for each step");
}

export async function check_page(page: Page, report: ReportData): Promise<void> {
  await check_verdicts(page, report.answer.properties);
  for (const note of report.notes) assert.ok(((await page.locator("#view").textContent()) ?? "").includes(note));
  for (const id of ["run", "sequence", "explored", "coverage", "graph", "processes", "source"]) await open_tab(page, id);
  if (report.model?.source !== undefined)
    assert.equal(await page.locator('.line[data-line="1"] code').textContent(), `${report.model.source.split(/\r?\n/)[0]}\n`);
  await open_tab(page, "run");
  for (let i = 0; i < Math.min(report.runs.length, 5); i++) await check_run(page, report, i);
  if (report.runs.length === 0) assert.ok(await page.locator(".missing").isVisible());
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
}
