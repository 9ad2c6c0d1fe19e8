// A run that can be read at any position. A run is given as an initial state and what each step changes; whole states
// are kept only every `interval` steps, so that a run of 100,000 steps fits easily and any state takes at most
// `interval` steps to rebuild.
//
// Position p is the state after p steps, 0 to `length`. A lasso's last step returns to position `loop`, so that
// position `length` and position `loop` are the same state; what follows it is step `loop` + 1.

import type { Run, Step } from "./data";

const interval = 256;

export interface Change {
  slot: number;
  before: number;
  after: number;
}

export class Replay {
  readonly length: number;
  private readonly keyframes: Float64Array[] = [];

  constructor(readonly run: Run) {
    this.length = run.steps.length;
    const state = Float64Array.from(run.initial);
    for (let i = 0; i < this.length; i++) {
      if (i % interval === 0) this.keyframes.push(state.slice());
      apply(state, this.step(i + 1));
    }
    if (this.length % interval === 0) this.keyframes.push(state);
  }

  /** Step k leads from position k - 1 to position k. */
  step(k: number): Step {
    const step = this.run.steps[k - 1];
    if (!step) throw new RangeError(`the run has no step ${k}`);
    return step;
  }

  /** The state at a position, as an array of its own. */
  state(position: number): Float64Array {
    const p = Math.max(0, Math.min(this.length, position));
    const frame = Math.min(Math.floor(p / interval), this.keyframes.length - 1);
    const state = (this.keyframes[frame] ?? new Float64Array(0)).slice();
    for (let k = frame * interval + 1; k <= p; k++) apply(state, this.step(k));
    return state;
  }

  /** What step k changes, with the values before it. */
  changes(k: number, before: ArrayLike<number> = this.state(k - 1)): Change[] {
    const { c } = this.step(k);
    const result: Change[] = [];
    for (let i = 0; i + 1 < c.length; i += 2) {
      const slot = c[i] as number;
      result.push({ slot, before: before[slot] ?? 0, after: c[i + 1] as number });
    }
    return result;
  }

  /** The state after step k, from the state before it: cheaper than state(k) for steps in a row. */
  state_after(before: Float64Array, k: number): Float64Array {
    const state = before.slice();
    apply(state, this.step(k));
    return state;
  }

  is_lasso(): boolean {
    return this.run.loop !== undefined && this.run.loop < this.length;
  }

  /** The position after p: the run's end has none, a lasso goes round. */
  next(p: number): number | undefined {
    if (p < this.length) return p + 1;
    return this.is_lasso() ? (this.run.loop as number) + 1 : undefined;
  }

  previous(p: number): number | undefined {
    return p > 0 ? p - 1 : undefined;
  }

  /** The position in the list of steps that a walk of n steps round the cycle ends at. */
  unrolled(n: number): number {
    if (n <= this.length || !this.is_lasso()) return Math.min(n, this.length);
    const loop = this.run.loop as number;
    return loop + 1 + ((n - loop - 1) % (this.length - loop));
  }

  /** The next position after p (or before it) whose step changes one of the slots; undefined when there is none. */
  next_change(p: number, slots: ReadonlySet<number>): number | undefined {
    for (let k = p + 1; k <= this.length; k++) if (touches(this.step(k), slots)) return k;
    return undefined;
  }

  previous_change(p: number, slots: ReadonlySet<number>): number | undefined {
    for (let k = Math.min(p - 1, this.length); k >= 1; k--) if (touches(this.step(k), slots)) return k;
    return undefined;
  }

  /** All steps that change one of the slots. */
  all_changes(slots: ReadonlySet<number>): number[] {
    const result: number[] = [];
    for (let k = 1; k <= this.length; k++) if (touches(this.step(k), slots)) result.push(k);
    return result;
  }
}

/** The first position at which two runs differ, by the step that leads there or by the state; undefined: they are the same. */
export function first_difference(a: Replay, b: Replay): number | undefined {
  const state_a = a.state(0);
  const state_b = b.state(0);
  if (!same(state_a, state_b)) return 0;
  for (let k = 1; k <= Math.max(a.length, b.length); k++) {
    if (k > a.length || k > b.length) return k;
    const step_a = a.step(k);
    const step_b = b.step(k);
    apply(state_a, step_a);
    apply(state_b, step_b);
    if (step_a.a !== step_b.a || !same_after(state_a, state_b, step_a, step_b)) return k;
  }
  return a.run.loop === b.run.loop ? undefined : a.length;
}

function apply(state: Float64Array, step: Step): void {
  const { c } = step;
  for (let i = 0; i + 1 < c.length; i += 2) state[c[i] as number] = c[i + 1] as number;
}

function touches(step: Step, slots: ReadonlySet<number>): boolean {
  for (let i = 0; i + 1 < step.c.length; i += 2) if (slots.has(step.c[i] as number)) return true;
  return false;
}

function same(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

// The states were the same before the steps, so only what the steps changed can differ.
function same_after(a: Float64Array, b: Float64Array, step_a: Step, step_b: Step): boolean {
  for (const { c } of [step_a, step_b])
    for (let i = 0; i + 1 < c.length; i += 2) if (a[c[i] as number] !== b[c[i] as number]) return false;
  return true;
}
