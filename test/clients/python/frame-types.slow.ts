// The columns of an answer have the same types whichever rows there are, for every reader of frames in Python.
import { expect } from 'chai';
import { openServer } from '../../support/hosted-server.js';
import { createProject } from '../../support/objects.js';
import { newSeed } from '../../support/seed.js';
import type { TestServer } from '../../support/start-server.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { runPython } from './run-python.js';

const mixed = ['1', '0.5', '"text"', 'true', 'null', '[1]', '{"a":1}', '"2024-01-01T00:00:00Z"'];
const scores = ['0', '1', '0.30000000000000004', '0.7000000000000001', 'null'];

/** @param big an integer beyond 2^53, or one that is not */
const event = (number: number, big: string): string =>
  `{"id":"r${number}","created":"2024-01-0${(number % 9) + 1}T12:00:00.123456Z","input":${number % 3 === 0 ? '{"q":"é"}' : `"q${number}"`},
    "output":{"list":[${number},${big}]},"scores":{"a":${scores[number % 5]},"b":${number % 2}},
    "metrics":{"tokens":${number},"start":${1_700_000_000.123 + number},"note":${number % 2 === 0 ? '"n"' : '7'}},
    "tags":${['null', '[]', '["x"]', '["x","y\\u0001\\"z"]'][number % 4]},"span_attributes":{"name":"s${number % 2}"},
    "context":{"caller_filename":"main.py","caller_lineno":${number}},
    "metadata":{"n":${number % 4 === 0 ? big : number},"big":${big},"text":"t${number}","flag":${number % 2 === 0},
      "at":"2024-02-29T23:59:59Z","mixed":${mixed[number % 8]},"deep":{"x":${number},"y":0.30000000000000004}}}`;

async function insert(server: TestServer, count: number, big: string): Promise<string> {
  const { id } = await createProject(server);
  const events = Array.from({ length: count }, (_, number) => event(number, big));
  const answer = await server.request(
    'POST',
    `/v1/project_logs/${id}/insert`,
    `{"events":[${events.join()}]}`,
  );
  expect(answer.status, answer.text).to.equal(200);
  return `project_logs('${id}')`;
}

const [small, large] = ['12', '9007199254740993'];

describe('types of frames', () => {
  const directory = temporaryDirectory();

  it('do not depend on the rows', async () => {
    const server = await openServer({
      dir: directory(),
      environment: { EVALSTORE_FLUSH_ROWS: '1000000' },
      tuning: { segments: { narrowRowsMin: 1 } },
    });
    try {
      const segments = await insert(server, 40, small);
      const segmentsLarge = await insert(server, 40, large);
      await server.settle();
      const states = {
        none: await insert(server, 0, small),
        one: await insert(server, 1, small),
        buffer: await insert(server, 40, small),
        'buffer large': await insert(server, 40, large),
        segments,
        'segments large': segmentsLarge,
      };
      const { out } = await runPython(server, {
        environment: 'frames',
        files: ['test/clients/python/programs/frame_types.py'],
        variables: { STATES: JSON.stringify(states), SEED: String(newSeed()), QUERIES: '300' },
      });
      const found = JSON.parse(out) as Readonly<Record<string, unknown>>;
      expect(found).to.deep.include({ queries: 300 });
      expect(found['rows']).to.be.greaterThan(10_000);
      expect(found['misfits']).to.be.greaterThan(100);
      expect(found['types']).to.deep.equal([
        'BIGINT',
        'BOOLEAN',
        'DOUBLE',
        'JSON',
        'TIMESTAMP WITH TIME ZONE',
        'VARCHAR',
        'VARCHAR[]',
      ]);
    } finally {
      await server.stop();
    }
  }).timeout(900_000);
});
