// The command line of the benchmark -> its options.
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { contenderNames, type ContenderName } from './contenders/contender.js';
import { profiles, type ProfileName } from './generator/profile.js';

export interface Options {
  readonly events: number;
  readonly profile: ProfileName;
  readonly seed: number;
  /** A file of grade-school-math that takes the place of generated events. */
  readonly file: string | null;
  readonly only: readonly ContenderName[];
  readonly rounds: number;
  /** How often the events are loaded. */
  readonly loads: number;
  /** Of the result file, without its ending. */
  readonly name: string;
  /** Where generated events and the contenders' data go. */
  readonly directory: string;
  readonly threads: number;
  readonly memoryMb: number;
  /** How long the server idles before its memory is read. */
  readonly idleSeconds: number;
}

export const usage = `npm run bench -- [--events N] [--profile full|lean] [--seed N] [--rounds N] [--loads N]
  [--name TEXT] [--file example_model_solutions.jsonl] [--only ${contenderNames.join(',')}] [--dir PATH] [--threads N]
  [--memory-mb N] [--idle-seconds N]`;

const largestFull = 1_000_000;

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${name}: expected a positive integer, got "${text}"`);
  return value;
}

function oneOf<T extends string>(name: string, allowed: readonly T[], text: string): T {
  const found = allowed.find((each) => each === text);
  if (found === undefined)
    throw new Error(`--${name}: expected one of ${allowed.join(', ')}, got "${text}"`);
  return found;
}

/** Beyond a million events only the two that the targets at that size speak of. */
function contendersOf(only: string | undefined, events: number): readonly ContenderName[] {
  if (only !== undefined) return only.split(',').map((name) => oneOf('only', contenderNames, name));
  return events > largestFull ? ['evalstore', 'limit'] : contenderNames;
}

/** Throws an Error with one sentence for the first option that is not valid. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      events: { type: 'string', default: '100000' },
      profile: { type: 'string' },
      seed: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '5' },
      loads: { type: 'string', default: '5' },
      file: { type: 'string' },
      only: { type: 'string' },
      name: { type: 'string' },
      dir: { type: 'string', default: path.join(tmpdir(), 'evalstore-bench') },
      threads: { type: 'string', default: String(availableParallelism()) },
      'memory-mb': { type: 'string', default: String(Math.floor(totalmem() / 2 ** 21)) },
      'idle-seconds': { type: 'string', default: '60' },
    },
  });
  const events = positive('events', values.events);
  const fallback = events > largestFull ? 'lean' : 'full';
  const profile = oneOf(
    'profile',
    Object.keys(profiles) as ProfileName[],
    values.profile ?? fallback,
  );
  return {
    events,
    profile,
    seed: positive('seed', values.seed),
    only: contendersOf(values.only, events),
    rounds: positive('rounds', values.rounds),
    loads: positive('loads', values.loads),
    file: values.file ?? null,
    name: values.name ?? (values.file === undefined ? `${profile}-${events}` : 'gsm8k'),
    directory: path.resolve(values.dir),
    threads: positive('threads', values.threads),
    memoryMb: positive('memory-mb', values['memory-mb']),
    idleSeconds: positive('idle-seconds', values['idle-seconds']),
  };
}
