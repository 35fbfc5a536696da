// What else the machine did during a run: its load, and the CPU time that was not the run's own.
import { cpus, loadavg } from 'node:os';
import { readdir, readFile } from 'node:fs/promises';

export interface MachineLoad {
  /** Processes that wanted to run, the run's own included: mean and highest of the one-minute averages. */
  readonly mean: number;
  readonly highest: number;
  /** Cores that processes of others kept busy, on average. */
  readonly othersCores: number;
}

interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  /** Of the process and of its children that have ended. */
  readonly milliseconds: number;
}

const sampleMs = 10_000;
const millisecondsPerTick = 10;

/** Fields 4 and 14 to 17 of proc(5), counted behind the name, which may hold spaces. */
async function processTime(pid: string): Promise<ProcessTime | null> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (line === null) return null;
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return {
    pid: Number(pid),
    parent: Number(fields[1]),
    milliseconds: ticks * millisecondsPerTick,
  };
}

/** CPU time of a process and of all that it started, in milliseconds. */
async function millisecondsBelow(root: number): Promise<number> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(names.map(processTime))).filter((each) => each !== null);
  const timeBelow = (pid: number): number =>
    all
      .filter(({ parent }) => parent === pid)
      .reduce((sum, child) => sum + child.milliseconds + timeBelow(child.pid), 0);
  const own = all.find(({ pid }) => pid === root);
  return (own?.milliseconds ?? 0) + timeBelow(root);
}

/** The same in seconds. */
export const secondsBelow = async (pid: number): Promise<number> =>
  (await millisecondsBelow(pid)) / 1000;

const ownMilliseconds = (): Promise<number> => millisecondsBelow(process.pid);

const busyMilliseconds = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Watches until the function that it returns is called. */
export async function watchLoad(): Promise<() => Promise<MachineLoad>> {
  const loads = [loadavg()[0]!];
  const timer = setInterval(() => loads.push(loadavg()[0]!), sampleMs).unref();
  const start = performance.now();
  const [busyBefore, ownBefore] = [busyMilliseconds(), await ownMilliseconds()];
  return async () => {
    clearInterval(timer);
    const own = (await ownMilliseconds()) - ownBefore;
    const others = busyMilliseconds() - busyBefore - own;
    return {
      mean: mean(loads),
      highest: Math.max(...loads),
      othersCores: Math.max(0, others / (performance.now() - start)),
    };
  };
}
