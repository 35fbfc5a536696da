// A query with a limit finds its first rows before it reads all of their columns, and only as far as it has to.
import { readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { openServer } from '../support/hosted-server.js';
import type { TestServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

const rowsPerSegment = 40;
const segmentCount = 3;
const numbers = Array.from({ length: rowsPerSegment * segmentCount }, (_, index) => index);

/** Every second row is the child of the one before. */
const eventOf = (number: number) => ({
  id: `r${number}`,
  root_span_id: `t${Math.floor(number / 2)}`,
  span_parents: number % 2 === 0 ? [] : ['parent'],
  input: `row ${number}`,
  metadata: { place: (number * 37) % numbers.length, tags: ['a', 'b'] },
  scores: { half: (number % 2) / 2 },
});

const rows = (list: readonly number[]) => list.map((number) => `r${number}`);

describe('the first rows of a query with a limit', () => {
  let server: TestServer;
  let from: string;

  const segmentFiles = async () =>
    (await readdir(path.join(server.dir, 'segments'), { recursive: true }))
      .filter((name) => /\d\.parquet$/.test(name))
      .sort();

  before(async () => {
    server = await openServer({
      environment: { EVALSTORE_FLUSH_ROWS: String(rowsPerSegment) },
      tuning: {
        compaction: { fanOut: 1000, supersededShare: 2 },
        chunks: { rows: 10, bytes: 2000, dividedRows: 1 },
      },
    });
    const { id } = await createProject(server);
    from = `from: project_logs('${id}')`;
    for (const number of numbers) {
      const events = [eventOf(number)];
      await server.insert(`project_logs/${id}`, events);
      if ((number + 1) % rowsPerSegment !== 0) continue;
      const written = (number + 1) / rowsPerSegment;
      await waitUntil('a segment', async () => (await segmentFiles()).length === written);
    }
  });

  after(() => server.stop());

  const ids = async (clauses: string) =>
    (await server.query(`${from} | ${clauses}`)).map(({ id }) => id);

  const newest = numbers.toReversed();
  const byPlace = numbers.toSorted(
    (a, b) => ((b * 37) % numbers.length) - ((a * 37) % numbers.length),
  );
  const cases: Readonly<Record<string, readonly [string, readonly string[]]>> = {
    'newest first': ['select: * | limit: 3', rows(newest.slice(0, 3))],
    'oldest first': ['select: id | sort: _xact_id asc | limit: 15', rows(numbers.slice(0, 15))],
    'that pass a filter, far back': [
      "select: id | filter: input = 'row 3' or input = 'row 70' | limit: 2",
      ['r70', 'r3'],
    ],
    'fewer than the limit': ["select: id | filter: input = 'row 3' | limit: 5", ['r3']],
    'none at all': ["select: id | filter: input = 'row' | limit: 5", []],
    'by the values of a field': [
      'select: id, input, metadata.place as place | sort: place desc | limit: 4',
      rows(byPlace.slice(0, 4)),
    ],
    'by the values of a field, of narrow columns alone': [
      'select: id, metadata.place as place | sort: place desc | limit: 4',
      rows(byPlace.slice(0, 4)),
    ],
    'beside their members': [
      'select: id, tag | unpivot: metadata.tags as tag | limit: 3',
      ['r119', 'r119', 'r118'],
    ],
    'of traces': [
      "select: id | FROM traces | filter: input = 'row 3' or input = 'row 71' | limit: 1",
      ['r71', 'r70'],
    ],
    'of summaries': ['select: id | FROM summary | limit: 2', ['r118', 'r116']],
    'of summaries of traces with a row that passes': [
      "select: id | FROM summary | filter: input = 'row 3' or input = 'row 71' | limit: 2",
      ['r70', 'r2'],
    ],
  };

  for (const [name, [clauses, expected]] of Object.entries(cases))
    it(`are found: ${name}`, async () => {
      const [, shape] = /\| FROM (\w+)/.exec(clauses) ?? [];
      const query = clauses.replace(/ \| FROM \w+/, '');
      const source = shape === undefined ? from : `${from} ${shape}`;
      const data = await server.query(`${source} | ${query}`);
      expect(data.map(({ id }) => id)).to.deep.equal(expected);
    });

  it('are those of every page, page by page', async () => {
    const seen: unknown[] = [];
    const query = `${from} | select: id | filter: metadata.place < 60 | limit: 7`;
    for await (const page of server.pages(query)) seen.push(...page.map(({ id }) => id));
    const wanted = newest.filter((number) => (number * 37) % numbers.length < 60);
    expect(seen).to.deep.equal(rows(wanted));
  });

  it('do not need the files of older rows', async () => {
    const [oldest = ''] = await segmentFiles();
    const file = path.join(server.dir, 'segments', oldest);
    await rename(file, `${file}.away`);
    try {
      const passing = "filter: input ILIKE 'row%' | limit: 30";
      expect(await ids(`select: * | ${passing}`)).to.deep.equal(rows(newest.slice(0, 30)));
    } finally {
      await rename(`${file}.away`, file);
    }
  });
});
