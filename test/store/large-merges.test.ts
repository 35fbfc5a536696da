// Merges that need more memory than there is.
import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { checkStore } from '../../src/store/check/check-store.js';
import { isEngineError } from '../../src/duckdb/engine-error.js';
import type { StoreHooks } from '../../src/store/event-store.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

type Limit = Parameters<NonNullable<StoreHooks['limited']>>[0];

const requests = 4;
const rows = 1000;

describe('a merge that runs out of memory', () => {
  const directory = temporaryDirectory();

  it('is not tried again as it was, and nothing is lost', async () => {
    const limits: Limit[] = [];
    const failures: unknown[] = [];
    const opened = await openStore(directory(), {
      flushRows: 1_000_000,
      maintenanceMemoryMb: 50,
      compaction: { fanOut: requests },
      hooks: {
        limited: (limit) => limits.push(limit),
        failed: (error) => failures.push(error),
      },
    });
    try {
      for (let request = 0; request < requests; request++) {
        const events = Array.from({ length: rows }, (_, index) => ({
          id: `${request} ${index}`,
          input: `${index} ${'x'.repeat(6000)}`,
        }));
        await opened.insert('e', ...events);
        await opened.store.flush();
      }
      expect(failures).to.deep.equal([]);
      expect(limits).to.have.length(1);
      expect(isEngineError(limits[0]?.error, 'memory')).to.equal(true);
      expect(Object.keys(await opened.live('e'))).to.have.length(requests * rows);
    } finally {
      await opened.close();
    }
    const files = await readdir(path.join(directory(), 'segments', 'project_id=project'));
    expect(files.filter((name) => /^0.*parquet$/.test(name))).to.have.length(requests);
    expect(await checkStore(directory())).to.deep.equal([]);
  });
});
