// One client of the soak: sends requests, and counts the statuses and the times of their answers.
import { Pool } from 'undici';

export interface Tally {
  /** By what was asked and its status: "insert 200". */
  readonly answers: Map<string, number>;
  /** Answers that are neither 200 nor 429, the first ones of them with their texts. */
  readonly errors: string[];
  /** Milliseconds of answers with status 200, by what was asked: a sample of them all. */
  readonly times: Map<string, number[]>;
}

export const newTally = (): Tally => ({ answers: new Map(), errors: [], times: new Map() });

const errorsShown = 20;
const timesKept = 20_000;

function keepTime(times: number[], milliseconds: number): void {
  if (times.length < timesKept) times.push(milliseconds);
  else times[Math.floor(Math.random() * timesKept)] = milliseconds;
}

export interface SoakClient {
  /** The body of an answer with status 200, null for 429 and for an error, which the tally has. */
  ask(
    what: string,
    method: 'GET' | 'POST' | 'DELETE',
    route: string,
    body?: object,
  ): Promise<unknown>;
  close(): Promise<void>;
}

export function openClient(
  url: string,
  key: string,
  connections: number,
  tally: Tally,
): SoakClient {
  const pool = new Pool(url, { connections });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return {
    ask: async (what, method, route, body) => {
      const start = performance.now();
      const sent = {
        method,
        path: route,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      };
      const { statusCode, body: answer } = await pool.request(sent);
      const text = await answer.text();
      const name = `${what} ${statusCode}`;
      tally.answers.set(name, (tally.answers.get(name) ?? 0) + 1);
      if (statusCode === 200) {
        const times = tally.times.get(what) ?? [];
        tally.times.set(what, times);
        keepTime(times, performance.now() - start);
        return JSON.parse(text);
      }
      if (statusCode !== 429 && tally.errors.length < errorsShown)
        tally.errors.push(`${name}: ${text.slice(0, 200)}`);
      return null;
    },
    close: () => pool.close(),
  };
}
