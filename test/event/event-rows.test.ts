// The events of Parquet files, as other programs write their types.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { RequestError } from '../../src/errors.js';
import { decodeParquetInSteps } from '../../src/event/event-rows.js';
import { checkDictionaryRuns, levelsOfPage } from '../../src/event/parquet/levels.js';
import { stringOfJson } from '../../src/json/json-text.js';
import { parquetOf } from '../support/parquet-file.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const decode = (file: Buffer, decodedBytesMax = Infinity) => [
  ...decodeParquetInSteps('experiment', Buffer.from(new Uint8Array(file)), {
    textBytesMax: 2 ** 26,
    decodedBytesMax,
  }),
];

const inputsOf = (file: Buffer) =>
  decode(file)
    .flat()
    .map(({ json }) => json.input && stringOfJson(json.input));

const refusalOf = (file: Buffer, decodedBytesMax?: number): string => {
  try {
    decode(file, decodedBytesMax);
    return 'none';
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return `${error.status} ${error.message}`;
  }
};

describe('rows of a Parquet file', () => {
  const directory = temporaryDirectory();

  const inputs = async (values: readonly string[], options?: string) =>
    inputsOf(
      await parquetOf(
        directory(),
        values.map((value) => `SELECT ${value} AS input`).join(' UNION ALL '),
        options,
      ),
    );

  const values: Readonly<Record<string, readonly [sql: string, json: string | undefined][]>> = {
    integers: [
      ['9007199254740993::BIGINT', '9007199254740993'],
      ['(-9223372036854775807)::BIGINT', '-9223372036854775807'],
      ['NULL', undefined],
    ],
    'unsigned integers': [['18446744073709551615::UBIGINT', '18446744073709551615']],
    'small integers': [['4294967295::UINTEGER', '4294967295']],
    doubles: [
      ['0.1::DOUBLE', '0.1'],
      ['1e300::DOUBLE', '1e+300'],
    ],
    floats: [['0.5::FLOAT', '0.5']],
    decimals: [
      ["'-0.05'::DECIMAL(4, 2)", '-0.05'],
      ["'99.90'::DECIMAL(4, 2)", '99.9'],
    ],
    'long decimals': [
      [
        "'12345678901234567890123456789012345678'::DECIMAL(38, 0)",
        '12345678901234567890123456789012345678',
      ],
    ],
    booleans: [
      ['true', 'true'],
      ['false', 'false'],
    ],
    strings: [
      ["'é\"'", '"é\\""'],
      ["''", '""'],
    ],
    JSON: [
      [`'{"b":1e400,"1":[null]}'::JSON`, '{"b":1e400,"1":[null]}'],
      [`'"text"'::JSON`, '"text"'],
      ["'null'::JSON", undefined],
    ],
    times: [
      ["'2024-01-02 03:04:05.678901'::TIMESTAMP", '"2024-01-02T03:04:05.678901Z"'],
      ["'1969-12-31 23:59:59'::TIMESTAMP", '"1969-12-31T23:59:59Z"'],
    ],
    'times with a zone': [["'2024-01-02 03:04:05+02'::TIMESTAMPTZ", '"2024-01-02T01:04:05Z"']],
    nanoseconds: [
      ["'2024-01-02 03:04:05.123456789'::TIMESTAMP_NS", '"2024-01-02T03:04:05.123456789Z"'],
      ["'1960-01-02 03:04:05.000000001'::TIMESTAMP_NS", '"1960-01-02T03:04:05.000000001Z"'],
    ],
    'times of a day': [["'03:04:05.5'::TIME", '"03:04:05.500"']],
    days: [["'1999-12-31'::DATE", '"1999-12-31"']],
    UUIDs: [
      ["'8cecfe57-e2d7-49a5-8f89-461ed1454a64'::UUID", '"8cecfe57-e2d7-49a5-8f89-461ed1454a64"'],
    ],
    lists: [
      ["['a', NULL, 'b']", '["a",null,"b"]'],
      ['[]', '[]'],
      ['NULL', undefined],
    ],
    'lists of lists': [['[[1, 2], [], NULL, [3]]', '[[1,2],[],null,[3]]']],
    structs: [
      ["{'b': 1, '1': 'x', 'n': NULL::INTEGER}", '{"b":1,"1":"x"}'],
      ['NULL', undefined],
    ],
    maps: [
      ["MAP {'z': 1, '9': NULL, 'a': 3}", '{"z":1,"9":null,"a":3}'],
      ['MAP {}', '{}'],
      ['NULL', undefined],
    ],
    'maps of numbers': [['MAP {7: [1]}', '{"7":[1]}']],
    'lists of structs': [
      [
        "[{'a': 1::BIGINT, 'b': [MAP {'k': {'c': 0.5::DOUBLE}}]}, NULL]",
        '[{"a":1,"b":[{"k":{"c":0.5}}]},null]',
      ],
    ],
  };
  for (const [name, cases] of Object.entries(values))
    it(`have ${name}`, async () => {
      expect(await inputs(cases.map(([sql]) => sql))).to.deep.equal(cases.map(([, json]) => json));
    });

  it('are the same in each compression, version and encoding, and over several row groups', async () => {
    const sql = `SELECT 'x' || i AS id, i % 3 AS "scores/a", [i, NULL] AS input, {'t': repeat('é', i % 50), 'n': i} AS metadata,
      CASE WHEN i % 2 = 0 THEN 'even' END AS error, i::DOUBLE / 7 AS output FROM range(2100) r(i)`;
    const read = async (options: string) =>
      decode(await parquetOf(directory(), sql, options)).flat();
    const expected = await read('COMPRESSION uncompressed');
    expect(expected.length).to.equal(2100);
    expect(expected[2099]).to.deep.include({ id: 'x2099', place: 'row 2100' });
    expect(expected[2098]!.json).to.deep.equal({
      error: '"even"',
      input: '[2098,null]',
      metadata: `{"t":"${'é'.repeat(48)}","n":2098}`,
      output: String(2098 / 7),
      scores: '{"a":1}',
    });
    for (const options of ['snappy, V1', 'gzip, V2', 'zstd, V2', 'brotli, V1', 'lz4_raw, V2'])
      expect(
        JSON.stringify(
          await read(
            `COMPRESSION ${options.replace(',', ', PARQUET_VERSION')}, ROW_GROUP_SIZE 2048`,
          ),
        ),
        options,
      ).to.equal(JSON.stringify(expected));
  });

  it('have fields by the names of columns in any order, and members by names with a slash', async () => {
    const sql = `SELECT 1.5 AS "scores/b/c", ['t'] AS tags, '2024-01-02 03:04:05'::TIMESTAMP AS created, 'a' AS id, 7 AS _xact_id,
      NULL::DOUBLE AS "scores/missing", 2 AS "scores/10", '{"k":1}'::JSON AS metadata`;
    const [event] = decode(await parquetOf(directory(), sql)).flat();
    expect(event).to.deep.include({
      id: 'a',
      scalars: { tags: ['t'] },
      created: 1_704_164_645_000_000n,
    });
    expect(event!.json).to.deep.equal({ metadata: '{"k":1}', scores: '{"b/c":1.5,"10":2}' });
  });

  const refused: Readonly<Record<string, readonly [sql: string, sentence: string]>> = {
    'an unknown column': ['SELECT 1 AS inputt', '400 request body: unknown field "inputt"'],
    'a member of one': ['SELECT 1 AS "x/y"', '400 request body: unknown field "x/y"'],
    'a field twice': [
      `SELECT '{}'::JSON AS scores, 1 AS "scores/a"`,
      '400 request body: two columns have the field "scores/a"',
    ],
    bytes: [
      "SELECT 'a'::BLOB AS input",
      '400 column "input": the type BYTE_ARRAY is not supported: expected strings, JSON, numbers, booleans, times, lists, maps, structs',
    ],
    'an interval': [
      'SELECT INTERVAL 1 DAY AS input',
      '400 column "input": the type INTERVAL is not supported: expected strings, JSON, numbers, booleans, times, lists, maps, structs',
    ],
    NaN: [
      `SELECT 'nan'::DOUBLE AS "scores/a"`,
      '400 column "scores/a": JSON has no NaN: store null instead',
    ],
    infinity: [
      "SELECT [1.0, '-inf'::DOUBLE] AS input",
      '400 column "input": JSON has no -Infinity: store null instead',
    ],
    'an invalid value': [
      `SELECT 'a' AS id, 1.0 AS "scores/a", 'b' AS error UNION ALL SELECT '', 1.0, 'b'`,
      '400 row 2: event.id: expected a non-empty string or null, got ""',
    ],
    'a value of another type': [
      `SELECT 'x' AS "scores/a"`,
      '400 row 1: event.scores.a: expected a finite number or null, got "x"',
    ],
    'too many events': [
      "SELECT 'a' AS id FROM range(100001)",
      '400 request body: expected at most 100000 events, got 100001',
    ],
  };
  for (const [what, [sql, sentence]] of Object.entries(refused))
    it(`are refused for ${what}`, async () => {
      expect(refusalOf(await parquetOf(directory(), sql))).to.equal(sentence);
    });

  it('are refused for JSON that is not valid, in strings that say they are JSON', () => {
    const json = Buffer.from(
      parquetWriteBuffer({
        schema: [
          { name: 'root', num_children: 1 },
          {
            name: 'input',
            type: 'BYTE_ARRAY',
            converted_type: 'JSON',
            repetition_type: 'REQUIRED',
          },
        ],
        columnData: [{ name: 'input', data: [1] }],
      }),
    );
    const at = json.indexOf('1', 4);
    json[at] = 0x7b;
    expect(refusalOf(json)).to.match(/^400 column "input" is not valid JSON/);
  });

  it('are refused for files that are not Parquet, cut or damaged', async () => {
    const file = await parquetOf(directory(), "SELECT 'a' AS id, [1] AS input FROM range(10)");
    for (const other of [
      Buffer.alloc(0),
      Buffer.from('PAR1'),
      Buffer.from('{"events":[]}'),
      file.subarray(0, -1),
    ])
      expect(refusalOf(other)).to.equal('400 request body: expected a Parquet file');
    const long = Buffer.from(file);
    long.writeUInt32LE(2 ** 30, long.length - 8);
    expect(refusalOf(long)).to.equal('400 request body: the Parquet file is incomplete or damaged');
    expect(refusalOf(file.subarray(100))).to.match(
      /^400 .*the Parquet file is incomplete or damaged$/,
    );
  });

  it('end with a refusal or events, whatever byte of a file is another one', async () => {
    const sql = `SELECT 'x' || i AS id, i % 3 AS "scores/a", [i, NULL] AS input, CASE WHEN i % 2 = 0 THEN 'even' END AS error FROM range(50) r(i)`;
    const file = await parquetOf(directory(), sql, 'COMPRESSION uncompressed');
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(changes, (bytes) => {
        const changed = Buffer.from(file);
        for (const [at, byte] of bytes) changed[at % changed.length] = byte;
        refusalOf(changed, 2 ** 24);
      }),
      { numRuns: 500 },
    );
  });

  it('are refused for runs that are longer than their page', () => {
    const element = { name: 'x', repetition_type: 'OPTIONAL' } as const;
    const root = { name: 'root' };
    const path = [root, element].map((each) => ({
      element: each,
      children: [],
      count: 1,
      path: [],
    }));
    const [repeated, packed] = [
      [0x80, 0x80, 0x80, 0x80, 0x08, 1],
      [0x81, 0x80, 0x80, 0x80, 0x08, 1],
    ];
    for (const run of [repeated, packed])
      expect(() => levelsOfPage(Uint8Array.from([6, 0, 0, 0, ...run]), path, 10, null)).to.throw();
    expect(levelsOfPage(Uint8Array.from([2, 0, 0, 0, 20, 1]), path, 10, null)).to.equal(6);
    for (const run of [repeated, packed])
      expect(() => {
        checkDictionaryRuns(Uint8Array.from([1, ...run]), 0, 'RLE_DICTIONARY', 10);
      }).to.throw();
  });

  it('are refused for a small file that is large without compression', async () => {
    const sql = "SELECT repeat('a', 1000000) || i AS input FROM range(4) r(i)";
    for (const compression of ['zstd', 'gzip', 'snappy']) {
      const file = await parquetOf(directory(), sql, `COMPRESSION ${compression}`);
      expect(refusalOf(file, 2 ** 20)).to.equal(
        '413 the Parquet file is larger without compression than the limit of 1 MB',
      );
    }
  });
});
