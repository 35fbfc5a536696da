// `example_model_solutions.jsonl` of grade-school-math -> a file of events: each answer to each problem, with its verdict.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { firstDay } from './events.js';
import type { Dataset } from './dataset.js';

interface Solution {
  readonly is_correct: boolean;
  readonly solution: string;
}

interface Problem extends Readonly<Record<string, unknown>> {
  readonly question: string;
  readonly ground_truth: string;
}

/** Calculations are written as `<<2+3=5>>`, and the last line is `A: 5`. */
function toEvent(problem: Problem, number: number, contestant: string, second: number) {
  const { solution, is_correct } = problem[contestant] as Solution;
  const [model, method] = contestant.split('_');
  const id = `problem-${number}-${contestant}`;
  const answer = /^A: (.*)$/m.exec(solution)?.[1];
  return {
    id,
    created: new Date(firstDay + second * 1000).toISOString(),
    span_id: id,
    root_span_id: id,
    input: problem.question,
    output: solution,
    expected: problem.ground_truth,
    scores: { correct: Number(is_correct) },
    metadata: {
      model,
      method,
      problem: number,
      steps: solution.split('<<').length - 1,
      ...(answer === undefined ? {} : { answer }),
    },
    span_attributes: { name: 'answer', type: 'llm' },
  };
}

/** `counter` is left with the number of events. */
async function* eventLines(file: string, counter: { events: number }): AsyncGenerator<string> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line.trim() === '') continue;
    number++;
    const problem = JSON.parse(line) as Problem;
    const contestants = Object.keys(problem).filter((name) => typeof problem[name] === 'object');
    for (const contestant of contestants)
      yield `${JSON.stringify(toEvent(problem, number, contestant, counter.events++))}\n`;
  }
}

export async function readGsm8k(file: string, directory: string): Promise<Dataset> {
  await mkdir(directory, { recursive: true });
  const target = path.join(directory, 'events-gsm8k.ndjson');
  const counter = { events: 0 };
  await pipeline(Readable.from(eventLines(file, counter)), createWriteStream(target));
  const { size } = await stat(target);
  return { path: target, profile: 'gsm8k', seed: 0, events: counter.events, bytes: size };
}
