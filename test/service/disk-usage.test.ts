// The growth of the data directory, and the days until its disk is full.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { DiskUsage, growthOf } from '../../src/service/monitor/disk-usage.js';
import { daysLeft } from '../../src/service/monitor/server-numbers.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const hourMs = 3_600_000;

describe('growth of the data directory', () => {
  const directory = temporaryDirectory();

  /** Writes files of these sizes, and measures the directory after so many hours of a clock. */
  const measured = async (steps: readonly { hour: number; sizes: Record<string, number> }[]) => {
    let now = 0;
    const usage = new DiskUsage(directory(), () => now);
    for (const { hour, sizes } of steps) {
      now = hour * hourMs;
      for (const [folder, bytes] of Object.entries(sizes)) {
        await mkdir(path.join(directory(), folder), { recursive: true });
        await writeFile(path.join(directory(), folder, 'file'), Buffer.alloc(bytes));
      }
      const [folder, bytes] = Object.entries(sizes)[0]!;
      await waitUntil('it is measured', () => usage.bytes.get(folder as 'segments') === bytes);
    }
    return usage.growth;
  };

  it('is that of what stays, from the oldest measurement of the last day', async () => {
    expect(await measured([{ hour: 0, sizes: { segments: 10 } }])).to.equal(null);
    const early = { hour: 0, sizes: { segments: 1000, log: 50 } };
    expect(await measured([early, { hour: 0.5, sizes: { segments: 2000 } }])).to.equal(null);
    const later = { hour: 12, sizes: { segments: 3000, attachments: 500, log: 900 } };
    expect(await measured([early, later])).to.equal(2 * 2500);
    const last = { hour: 36, sizes: { segments: 9500, attachments: 500, tmp: 7000 } };
    expect(await measured([early, later, last])).to.equal(6500);
  });

  it('is not known from a single measurement, and may be below 0', () => {
    expect(growthOf([], { at: 5, bytes: 1 })).to.equal(null);
    expect(growthOf([{ at: 0, bytes: 48 }], { at: 12 * hourMs, bytes: 0 })).to.equal(-96);
  });

  it('gives the days until only the reserve is left', () => {
    expect(daysLeft(1000, 200, 100)).to.equal(8);
    expect(daysLeft(100, 200, 100)).to.equal(0);
    for (const growth of [null, 0, -5]) expect(daysLeft(1000, 0, growth)).to.equal(null);
  });
});
