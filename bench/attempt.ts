// A part of a run that fails is a result, and no reason to lose the others.

/** What the work measures; null, and a sentence among the failures, when it fails. */
export type Attempt = <T>(what: string, work: () => Promise<T>) => Promise<T | null>;

export function attemptInto(failures: string[], say: (line: string) => void): Attempt {
  return async (what, work) => {
    try {
      return await work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const failure = `${what}: ${reason.split('\n')[0]}`;
      failures.push(failure);
      say(failure);
      return null;
    }
  };
}
