// Errors of a server that is out of open files or of memory.
import { expect } from 'chai';
import type { Logger } from 'pino';
import { EngineError } from '../../src/duckdb/engine-error.js';
import { errorRenderer } from '../../src/http/render-errors.js';
import type { RequestContext } from '../../src/http/state.js';
import { openReadQueues } from '../../src/store/read/engine/read-queues.js';
import { rejection } from '../support/rejection.js';

/** The answer to a request that fails with the error. */
function answerTo(error: Error): unknown {
  const context = {
    state: { requestId: 'r', headers: { set: () => {} } },
    res: { req: { socket: { destroyed: false } } },
    set: () => {},
  };
  const log = { error: () => {} };
  errorRenderer(log as unknown as Logger)(context as unknown as RequestContext, error);
  const { status, body } = context as { status?: unknown; body?: unknown };
  return [status, body];
}

const files = [503, 'the server has too many open files: try again later'];
const memory = [503, 'the system has no free memory: try again later'];

const queues = openReadQueues({
  queryTimeoutMs: 1000,
  queryMemoryMb: 100,
  queryConcurrency: 1,
  queryQueueLength: 1,
});

describe('a server without resources', () => {
  it('says what it lacks, and that this passes', async () => {
    expect(answerTo(new Error('EMFILE: too many open files, open'))).to.deep.equal(files);
    expect(answerTo(new Error('a', { cause: new Error('ENFILE: open') }))).to.deep.equal(files);
    const engine = new EngineError('storage', 'IO Error: Cannot open file: Too many open files');
    expect(answerTo(engine)).to.deep.equal(files);
    expect(answerTo(new Error('ENOMEM: not enough memory, open'))).to.deep.equal(memory);
    for (const queue of Object.values(queues)) {
      const failed = { deadline: queue.deadline(), abandon: () => {} };
      const run = queue.run({ interrupt: () => {} }, () => Promise.reject(engine), failed);
      expect(answerTo(await rejection(run))).to.deep.equal(files);
    }
    expect(answerTo(new Error('EIO'))).to.deep.equal([500, 'internal error, request id r']);
  });
});
