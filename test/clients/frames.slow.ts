// evalstore.py with each library of frames, and with none.
import { expect } from 'chai';
import { sharedServer, type TestServer } from '../support/start-server.js';
import { runPython, type PythonEnvironment } from './python/run-python.js';

/** As JavaScript reads 2^53 + 1. */
const big = 2 ** 53;

/** Runs a program of `files`, and gives the values that it printed. */
async function run(
  server: TestServer,
  environment: PythonEnvironment,
  command: readonly [string, ...string[]],
): Promise<readonly unknown[]> {
  const { out } = await runPython(server, {
    environment,
    command: ['python', ...command],
    files: [`test/clients/files/${command[0]}`, 'src/manual/evalstore.py'],
    variables: { EVALSTORE_URL: server.url, EVALSTORE_KEY: server.key },
  });
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

describe('evalstore.py', () => {
  const server = sharedServer();
  const busyServer = sharedServer({
    environment: { EVALSTORE_RATE_LIMIT: '10', EVALSTORE_RATE_BURST: '22' },
  });

  for (const [library, environment] of [
    ['pandas', 'frames'],
    ['polars', 'frames'],
    ['pyarrow', 'frames'],
    ['list', 'braintrust'],
  ] as const)
    it(`logs frames and reads them: ${library}`, async () => {
      const [areIds, events, module, inputs, empty, pulled, nothing, ...others] = await run(
        server(),
        environment,
        ['frames.py', library],
      );
      expect(areIds).to.equal(true);
      expect(events).to.deep.equal([
        {
          input: 'a',
          output: { q: 'a', n: 1 },
          expected: 1,
          error: 'a',
          scores: { h: 1, d: 0.25 },
          metrics: { n: 1 },
          metadata: { t: '2024-01-01T00:00:00Z', g: ['x', 'y'] },
          tags: ['x', 'y'],
        },
        {
          input: null,
          output: { n: big },
          expected: big,
          error: null,
          scores: null,
          metrics: { n: big },
          metadata: null,
          tags: null,
        },
      ]);
      expect(module).to.equal(library === 'list' ? 'builtins' : library);
      expect(inputs).to.deep.equal(['a', null]);
      expect(empty).to.deep.equal([[], []]);
      // All rows; then the rows that changed, the oldest change first, and a later transaction; then none.
      const changed = [
        [true, false],
        [false, true],
      ];
      expect(pulled).to.deep.equal([2, changed, true]);
      expect(nothing).to.deep.equal([0, true]);
      expect(others.splice(0, 3)).to.deep.equal([
        [
          { scores: { h: 1, d: 0.25, s: 0.5 }, input: 'a' },
          { scores: null, input: true },
        ],
        [{ scores: { h: 1, d: 0.25 } }, { scores: null }],
        // A part ends before it would have more than 4,000,000 characters, and after 10,000 rows.
        [1, 1, 10_000, 3],
      ]);
      if (library === 'pyarrow') expect(others.shift()).to.equal(10_005);
      expect(others).to.deep.equal([
        ["query line 1, column 14: unknown clause 'form'", 400],
        ['events[0].scores: expected an object or null, got "a"', 400],
        ['id: expected a UUID, got "00000000"', 400],
        ['no answer from http://127.0.0.1:1/query: [Errno 111] Connection refused', 0],
        ['the API key is not valid', 401],
        ['EVALSTORE_URL and EVALSTORE_KEY: set both environment variables', 0],
      ]);
    });

  it('waits as long as a busy server says', async () => {
    const rows = [{ rows: 0 }];
    expect(await run(busyServer(), 'frames', ['busy.py'])).to.deep.equal([rows, rows, rows, rows]);
  });
});
