// What was measured of the console -> lines, and the part between two marks of a page of Markdown; the rest is written by hand.
import { readFile, writeFile } from 'node:fs/promises';
import type { Machine } from '../machine.js';
import { table } from '../report/markdown.js';
import type { Measured } from './measure.js';

/** Above three times the requests themselves: painting, and the frame in which it happens. */
const paintingMs = 80;

/** The limit is the lower of the task's own and what its requests allow. */
export const limitOf = ({ task, alone }: Measured): number =>
  Math.min(task.limit ?? Infinity, 3 * alone + paintingMs);

export const isMissed = (measured: Measured): boolean => measured.ms > limitOf(measured);

const verdict = (measured: Measured): string => (isMissed(measured) ? 'missed' : 'met');

export function lineOf(measured: Measured): string {
  const { task, ms, alone, longestTask, elements } = measured;
  const times = [ms, alone, limitOf(measured)].map((one) => `${Math.round(one)} ms`);
  return `${verdict(measured)}: ${task.name}: ${times[0]}, alone ${times[1]}, limit ${times[2]}, ${measured.requests.length} requests, longest task ${Math.round(longestTask)} ms, ${elements} elements`;
}

export interface ConsoleResult {
  readonly events: number;
  readonly rounds: number;
  readonly machine: Machine;
  readonly loadSeconds: number;
  readonly measured: readonly Measured[];
}

function tableOf({ events, rounds, machine, loadSeconds, measured }: ConsoleResult): string {
  const { processor, cores, memoryGb, revision, date, loadBefore } = machine;
  return [
    `${events.toLocaleString('en-US')} events of the profile full, loaded in ${Math.round(loadSeconds)} s; medians of ${rounds} rounds, each in a page that was opened anew. ${processor}, ${cores} cores, ${memoryGb} GB, ${date}, revision ${revision}; load before it ${loadBefore}.`,
    '',
    table(
      [
        'task',
        'ms',
        'its requests alone, ms',
        'limit, ms',
        '',
        'requests',
        'longest task, ms',
        'elements',
      ],
      measured.map((one) => [
        one.task.name,
        one.ms,
        one.alone,
        limitOf(one),
        verdict(one),
        one.requests.length,
        one.longestTask,
        one.elements,
      ]),
    ),
  ].join('\n');
}

const times = /(<!-- times -->)[^]*(<!-- \/times -->)/;

/** `file` has the two marks. */
export async function writeReport(file: string, result: ConsoleResult): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    text.replace(
      times,
      (_, before: string, after: string) => `${before}\n\n${tableOf(result)}\n\n${after}`,
    ),
  );
}
