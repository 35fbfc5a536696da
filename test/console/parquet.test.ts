// Parquet files of other programs: numbers, times and JSON keep every digit.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'chai';
import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import { readTable } from '../../src/console/screens/import/table.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** The JSON text of the values in the first column, by row. */
async function textsOf(file: ArrayBuffer): Promise<readonly (string | undefined)[]> {
  const { columns, rows } = await readTable(file);
  return rows.map((row) => row.get(columns[0]!));
}

describe('Parquet files', () => {
  const directory = temporaryDirectory();

  /** The JSON text of the values as DuckDB writes them, by row. */
  const written = async (...values: readonly string[]) => {
    const file = path.join(directory(), 'file.parquet');
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const rows = values.map((value) => `SELECT ${value} AS x`).join(' UNION ALL ');
    await connection.run(`COPY (${rows}) TO '${file}' (FORMAT parquet)`);
    connection.closeSync();
    instance.closeSync();
    return textsOf(new Uint8Array(await readFile(file)).buffer);
  };

  it('keep every digit of decimals', async () => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['DECIMAL(4, 2)', ['0.57', '-0.05', '99.90', '0.57']],
      ['DECIMAL(18, 6)', ['123456789012.345678', '-0.000001']],
      ['DECIMAL(38, 0)', ['12345678901234567890123456789012345678', '-1']],
      ['DECIMAL(38, 38)', ['-0.12345678901234567890123456789012345678']],
    ];
    for (const [type, texts] of cases)
      expect(await written(...texts.map((text) => `'${text}'::${type}`)), type).to.deep.equal(
        texts,
      );
    expect(await written('NULL::DECIMAL(4, 2)', '1.00')).to.deep.equal([undefined, '1.00']);
  });

  it('keep them in lists, objects and maps', async () => {
    expect(
      await written('[0.57, NULL, 0.10]::DECIMAL(4, 2)[]', 'NULL', '[]', '[1.15]'),
    ).to.deep.equal(['[0.57,null,0.10]', undefined, '[]', '[1.15]']);
    expect(
      await written(
        `{'a': [{'b': 0.57::DECIMAL(4, 2), 'c': 0.000001::DECIMAL(20, 6)}], 'd': 0.1::DECIMAL(3, 1)}`,
      ),
    ).to.deep.equal(['{"a":[{"b":0.57,"c":0.000001}],"d":0.1}']);
    expect(await written('MAP {0.57::DECIMAL(4, 2): 1.15::DECIMAL(5, 2)}')).to.deep.equal([
      '{"0.57":1.15}',
    ]);
  });

  it('keep them whatever their physical type is, and without nulls', async () => {
    const types: readonly Partial<SchemaElement>[] = [
      { type: 'INT32' },
      { type: 'INT64' },
      { type: 'BYTE_ARRAY' },
      { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 5 },
    ];
    for (const type of types)
      for (const repetition_type of ['REQUIRED', 'OPTIONAL'] as const) {
        const element = { name: 'x', converted_type: 'DECIMAL', scale: 2, precision: 9 } as const;
        const file = parquetWriteBuffer({
          schema: [
            { name: 'root', num_children: 1 },
            { ...element, ...type, repetition_type },
          ],
          columnData: [{ name: 'x', data: [57n, -5n, 123456789n] }],
        });
        expect(await textsOf(file), JSON.stringify(type)).to.deep.equal([
          '0.57',
          '-0.05',
          '1234567.89',
        ]);
      }
  });

  it('keep JSON as it is written', async () => {
    const texts = [
      '{"b": 12345678901234567890, "1": 1.10}',
      '[1e400, "x"]',
      '"[1]"',
      '0.57',
      '{"b": 12345678901234567890, "1": 1.10}',
    ];
    const values = [...texts, 'null'].map((text) => `'${text}'::JSON`);
    expect(await written(...values, 'NULL')).to.deep.equal([...texts, undefined, undefined]);
    expect(await written(`{'a': ['{"b": 1.0}'::JSON]}`)).to.deep.equal(['{"a":[{"b": 1.0}]}']);
  });

  it('keep every digit of times', async () => {
    expect(
      await written(
        `TIMESTAMP '2024-01-01 00:00:00.123456'`,
        `TIMESTAMP '2024-01-01 00:00:00.120000'`,
        `TIMESTAMP '1969-12-31 23:59:59.999999'`,
      ),
    ).to.deep.equal([
      '"2024-01-01T00:00:00.123456Z"',
      '"2024-01-01T00:00:00.120Z"',
      '"1969-12-31T23:59:59.999999Z"',
    ]);
    expect(
      await written(`[TIMESTAMP_NS '2024-01-01 00:00:00.000000789', TIMESTAMP_NS '1969-12-31']`),
    ).to.deep.equal(['["2024-01-01T00:00:00.000000789Z","1969-12-31T00:00:00.000Z"]']);
  });
});
