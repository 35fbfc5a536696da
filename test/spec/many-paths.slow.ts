// A column for each of 900 members: the values are those that were inserted, and the memory does not grow with rows times paths.
import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { createProject } from '../support/objects.js';
import { startServer } from '../support/start-server.js';

const [rowCount, paths] = [1319, 900];
const names = Array.from({ length: paths }, (_, place) => `p${place}`);
const kinds = [(n: number) => n, (n: number) => `v${n}`, (n: number) => n % 2 === 0, () => null];

const rows = Array.from({ length: rowCount }, (_, row) => ({
  id: `row-${row}`,
  metadata: Object.fromEntries(
    names.map((name, place) => [name, kinds[place % kinds.length]!(row + place)]),
  ),
}));

const byId = (read: readonly object[]) =>
  Object.fromEntries(read.map(({ id: of, ...values }: { id?: string }) => [String(of), values]));

describe(`${paths} paths of ${rowCount} rows`, () => {
  it('are read within 512 MB as JSON and as Parquet', async () => {
    const server = await startServer({ environment: { EVALSTORE_QUERY_MEMORY_MB: '512' } });
    try {
      const { id } = await createProject(server);
      for (let start = 0; start < rowCount; start += 500)
        await server.insert(`project_logs/${id}`, rows.slice(start, start + 500));
      const list = names.map((name) => `metadata.${name} as ${name}`).join(', ');
      const query = `select: id, ${list} | from: project_logs('${id}')`;
      const expected = Object.fromEntries(rows.map(({ id: of, metadata }) => [of, metadata]));
      expect(byId(await server.query(query))).to.deep.equal(expected);
      const parquet = await fetch(`${server.url}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.key}` },
        body: JSON.stringify({ query, fmt: 'parquet' }),
      });
      const file = await parquet.arrayBuffer();
      const read = await parquetReadObjects({ file, compressors });
      const plain = JSON.stringify(byId(read), (_, value: unknown) =>
        typeof value === 'bigint' ? Number(value) : value,
      );
      expect(JSON.parse(plain)).to.deep.equal(expected);
    } finally {
      await server.stop();
    }
  });
});
