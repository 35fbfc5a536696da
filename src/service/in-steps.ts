// Long work of JavaScript, done in steps between which the event loop turns.
import { setImmediate } from 'node:timers/promises';

/** Shorter than anybody notices, and long enough for the turns to cost nothing. */
const turnMs = 10;

/** The result of the steps; `seen` is called with what each of them yields. */
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
