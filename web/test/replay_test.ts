import assert from "node:assert/strict";
import test from "node:test";
import { Replay, first_difference } from "../src/replay";
import { fixtures } from "./fixtures";
import { philosophers, random_actions, run_of } from "./simulate";

function long_run() {
  const { runs } = (fixtures.long as () => ReturnType<NonNullable<typeof fixtures.long>>)();
  return runs[0]!;
}

// What the keyframes must agree with: all states, one after the other.
function all_states(run: ReturnType<typeof long_run>): number[][] {
  const states = [run.initial.slice()];
  for (const step of run.steps) {
    const state = states[states.length - 1]!.slice();
    for (let i = 0; i < step.c.length; i += 2) state[step.c[i]!] = step.c[i + 1]!;
    states.push(state);
  }
  return states;
}

test("any state can be read in any order", () => {
  const system = philosophers(5);
  const run = run_of(system, random_actions(system, 1500, 11), { title: "r", kind: "simulation" });
  const states = all_states(run);
  const replay = new Replay(run);
  for (const p of [0, 1, 255, 256, 257, 511, 512, run.steps.length, 3, run.steps.length - 1].filter(
    (p) => p <= run.steps.length,
  ))
    assert.deepEqual([...replay.state(p)], states[p]);
  assert.deepEqual([...replay.state(-5)], states[0]);
  assert.deepEqual([...replay.state(1e9)], states[states.length - 1]);
});

test("lengths around the distance of keyframes", () => {
  for (const length of [0, 1, 255, 256, 257, 512, 513]) {
    const run = { ...long_run() };
    run.steps = run.steps.slice(0, length);
    const replay = new Replay(run);
    const states = all_states(run);
    assert.deepEqual([...replay.state(length)], states[length], `length ${length}`);
    if (length > 0) assert.deepEqual([...replay.state(length - 1)], states[length - 1]);
  }
});

test("a state that was read can be changed without harm", () => {
  const replay = new Replay(long_run());
  replay.state(256)[0] = 99;
  assert.notEqual(replay.state(256)[0], 99);
});

test("changes know the values before", () => {
  const replay = new Replay(long_run());
  for (const change of replay.changes(300)) {
    assert.equal(change.before, replay.state(299)[change.slot]);
    assert.equal(change.after, replay.state(300)[change.slot]);
  }
});

test("jumps to changes of a variable, both ways", () => {
  const run = long_run();
  const replay = new Replay(run);
  const slots = new Set([1]);
  const steps = replay.all_changes(slots);
  assert.ok(steps.length > 2);
  for (const k of steps) assert.notEqual(replay.state(k - 1)[1], replay.state(k)[1]);
  assert.equal(replay.next_change(0, slots), steps[0]);
  assert.equal(replay.next_change(steps[0]!, slots), steps[1]);
  assert.equal(replay.previous_change(steps[1]!, slots), steps[0]);
  assert.equal(replay.previous_change(steps[0]!, slots), undefined);
  assert.equal(replay.next_change(steps[steps.length - 1]!, slots), undefined);
});

test("a lasso goes round", () => {
  const run = fixtures.lasso!().runs[0]!;
  const replay = new Replay(run);
  assert.deepEqual([...replay.state(replay.length)], [...replay.state(run.loop!)], "the last step returns to the loop's state");
  assert.equal(replay.next(replay.length), run.loop! + 1);
  assert.equal(replay.next(3), 4);
  // Walking with next() and asking for the unrolled position are the same thing.
  let p = 0;
  for (let n = 0; n < 60; n++) {
    assert.equal(replay.unrolled(n), p, `after ${n} steps`);
    p = replay.next(p)!;
  }
});

test("a cycle of one step at the end, and a finite run", () => {
  const lasso = new Replay(fixtures.deadlock_loop!().runs[0]!);
  assert.equal(lasso.next(4), 4);
  assert.equal(lasso.unrolled(1000), 4);
  const finite = new Replay(fixtures.lasso!().runs[1]!);
  assert.equal(finite.next(4), undefined);
  assert.equal(finite.unrolled(1000), 4);
  assert.equal(finite.previous(0), undefined);
});

test("the first difference of two runs", () => {
  const system = philosophers(4);
  const make = (actions: number[]) => new Replay(run_of(system, actions, { title: "", kind: "simulation" }));
  assert.equal(first_difference(make([0, 1, 2]), make([0, 1, 2])), undefined);
  assert.equal(first_difference(make([0, 1, 2]), make([0, 4, 8])), 2);
  assert.equal(first_difference(make([0, 1]), make([0, 1, 2])), 3);
  const other = run_of(system, [0], { title: "", kind: "simulation" });
  other.initial[1] = 2;
  assert.equal(first_difference(make([0]), new Replay(other)), 0);
  const looping = run_of(system, [0, 1, 2], { title: "", kind: "lasso", loop: 1 });
  assert.equal(first_difference(make([0, 1, 2]), new Replay(looping)), 3);
});
