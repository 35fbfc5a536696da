// Runs long computations in steps and yields to the event loop between them.
import { setImmediate } from 'node:timers/promises';

/** The longest time between two turns of the event loop. */
const turnMs = 10;

/** Runs steps for the time of one turn. Returns null if any are left. */
function oneTurn<S, T>(
  steps: Iterator<S, T>,
  seen: (step: S) => void,
): { readonly result: T } | null {
  const startedMs = performance.now();
  do {
    const step = steps.next();
    if (step.done === true) return { result: step.value };
    seen(step.value);
  } while (performance.now() - startedMs < turnMs);
  return null;
}

async function inTurns<S, T>(steps: Iterator<S, T>, seen: (step: S) => void): Promise<T> {
  for (;;) {
    await setImmediate();
    const end = oneTurn(steps, seen);
    if (end !== null) return end.result;
  }
}

/** Runs all steps and returns their result, at once if one turn is enough. Calls `seen` with the value of each step. */
export function inSteps<S, T>(steps: Iterator<S, T>, seen: (step: S) => void): Promise<T> | T {
  const end = oneTurn(steps, seen);
  return end === null ? inTurns(steps, seen) : end.result;
}
