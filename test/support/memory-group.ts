// A control group of Linux that bounds the memory of a process and of what it starts, as a container does. Needs root.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Version {
  readonly root: string;
  readonly limit: string;
  /** File with the line `oom_kill <count>`. */
  readonly events: string;
}

const versions: readonly Version[] = [
  {
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    events: 'memory.oom_control',
  },
  { root: '/sys/fs/cgroup', limit: 'memory.max', events: 'memory.events' },
];

export interface MemoryGroup {
  /** Put before a command, it runs the command in the group. */
  readonly wrapper: readonly string[];
  /** Processes that the kernel ended for want of memory. */
  kills(): number;
  /** Call when no process is in it any more. */
  remove(): void;
}

/** @returns null where groups cannot be made */
export function openMemoryGroup(bytes: number): MemoryGroup | null {
  for (const { root, limit, events } of versions) {
    const group = path.join(root, `evalstore-${randomUUID()}`);
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    if (!existsSync(path.join(group, limit))) {
      rmdirSync(group);
      continue;
    }
    writeFileSync(path.join(group, limit), String(bytes));
    return {
      wrapper: ['sh', '-c', `echo $$ > ${group}/cgroup.procs && exec "$@"`, 'sh'],
      kills: () =>
        Number(/^oom_kill (\d+)$/m.exec(readFileSync(path.join(group, events), 'utf8'))?.[1]),
      remove: () => rmdirSync(group),
    };
  }
  return null;
}
