// Runs long computations in steps and yields to the event loop between them.
import { setImmediate } from 'node:timers/promises';

/** The longest time between two turns of the event loop. */
const turnMs = 10;

/** Runs all steps and returns their result. Calls `seen` with the value of each step. */
export async function inSteps<S, T>(steps: Iterator<S, T>, seen: (step: S) => void): Promise<T> {
  let turnedMs = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    seen(step.value);
    if (performance.now() - turnedMs < turnMs) continue;
    await setImmediate();
    turnedMs = performance.now();
  }
}
