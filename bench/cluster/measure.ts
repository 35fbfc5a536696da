// What a question costs an engine: wall time, processor time of its processes, and what it reads of the bucket.
import { median } from '../measure.js';
import type { AnswerRow } from '../contenders/contender.js';
import type { BenchBucket } from './bucket.js';

export interface Cost {
  readonly seconds: number;
  /** Of all processes of the engine. */
  readonly cpuSeconds: number;
  /** Requests to the bucket, and the bytes of their answers. */
  readonly requests: number;
  readonly bytes: number;
}

export interface Engine {
  readonly cpuSeconds: () => Promise<number>;
  readonly bucket: BenchBucket;
}

export interface Answered {
  readonly rows: readonly AnswerRow[];
  readonly cost: Cost;
}

export async function costOf(
  { cpuSeconds, bucket }: Engine,
  ask: () => Promise<readonly AnswerRow[]>,
): Promise<Answered> {
  bucket.moved();
  const [cpu, start] = [await cpuSeconds(), performance.now()];
  const rows = await ask();
  const seconds = (performance.now() - start) / 1000;
  const used = (await cpuSeconds()) - cpu;
  const { requests, bytes } = bucket.moved();
  const count = Object.values(requests).reduce((sum, each) => sum + each, 0);
  return { rows, cost: { seconds, cpuSeconds: used, requests: count, bytes } };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The median time, and the means of the others: the clock of processor time is coarse. The first answer does not count. */
export async function costOfRounds(
  engine: Engine,
  rounds: number,
  ask: () => Promise<readonly AnswerRow[]>,
): Promise<Answered> {
  const { rows } = await costOf(engine, ask);
  const costs: Cost[] = [];
  for (let round = 0; round < rounds; round++) costs.push((await costOf(engine, ask)).cost);
  const of = (figure: (cost: Cost) => number) => costs.map(figure);
  return {
    rows,
    cost: {
      seconds: median(of(({ seconds }) => seconds)),
      cpuSeconds: mean(of(({ cpuSeconds }) => cpuSeconds)),
      requests: mean(of(({ requests }) => requests)),
      bytes: mean(of(({ bytes }) => bytes)),
    },
  };
}
