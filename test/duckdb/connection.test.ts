import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Database } from '../../src/duckdb/database.js';
import { openHandles } from '../../src/duckdb/file-handles.js';
import { toRowChunks } from '../../src/duckdb/rows.js';
import { collectText } from '../../src/store/read/engine/collected-text.js';
import { sql } from '../../src/duckdb/sql.js';
import { ThreadDatabase } from '../../src/duckdb/thread-database.js';
import { allCharacters, around } from '../support/odd-strings.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';
import { openInMemory } from './open-in-memory.js';

const kinds = [
  { where: 'in this thread', kind: Database, isBackground: false },
  { where: 'in a thread of its own', kind: ThreadDatabase, isBackground: false },
  { where: 'in a thread in the background', kind: ThreadDatabase, isBackground: true },
];

for (const { where, kind, isBackground } of kinds)
  describe(`connection, instance ${where}`, () => {
    const directory = temporaryDirectory();
    const file = () => path.join(directory(), 'a.duckdb');
    let database: Database | ThreadDatabase;

    beforeEach(async () => {
      database = await kind.open(file(), {
        memoryMb: 100,
        threads: 2,
        temporaryDirectory: path.join(directory(), 'tmp', 'a'),
        allowedDirectories: [directory()],
        isBackground,
      });
    });

    const closes = async () => {
      expect(await openHandles(file())).to.equal(1);
      await database.close();
      expect(await openHandles(file())).to.equal(0);
    };

    it('binds every kind of parameter and reads the values back', async () => {
      const rows = await database.use((connection) =>
        connection.read(sql`
        SELECT ${'é\u0000'} AS text, ${1} AS double, ${2n ** 62n} AS big, ${true} AS yes, ${null} AS nothing,
          ${['a', '']} AS list, typeof(${1}) AS type, sum(range) AS huge FROM range(3)`),
      );
      expect(rows).to.deep.equal([
        {
          text: 'é\u0000',
          double: 1,
          big: 2n ** 62n,
          yes: true,
          nothing: null,
          list: ['a', ''],
          type: 'DOUBLE',
          huge: 3n,
        },
      ]);
      await closes();
    });

    it('gives back every character of the basic plane at the beginning and the end of strings', async () => {
      const texts = allCharacters()
        .filter((character) => character.length === 1)
        .map(around);
      await database.use(async (connection) => {
        await connection.run(sql`CREATE TABLE t (text VARCHAR, list VARCHAR[])`);
        const rows = texts.map((text) => [text, null]);
        const types = ['VARCHAR', 'VARCHAR[]'] as const;
        await connection.append('t', toRowChunks(types, [...rows, [null, texts]]));
        const streamed: unknown[] = [];
        for await (const chunk of connection.stream(sql`SELECT text FROM t WHERE list IS NULL`))
          for (const [text] of chunk) streamed.push(text);
        expect(streamed.findIndex((text, index) => text !== texts[index])).to.equal(-1);
        const [kept] = await connection.read(sql`SELECT list FROM t WHERE text IS NULL`);
        expect(kept!['list']).to.have.length(texts.length);
        const isKept = (text: unknown, index: number) => text === texts[index];
        expect((kept!['list'] as readonly unknown[]).every(isKept)).to.equal(true);
        const bytes = sql`md5(string_agg(hex(text), '' ORDER BY rowid))`;
        const [written] = await connection.read(sql`SELECT ${bytes} AS md5 FROM t`);
        const expected = texts.map((text) => Buffer.from(text).toString('hex').toUpperCase());
        expect(written!['md5']).to.equal(createHash('md5').update(expected.join('')).digest('hex'));
        const first = ['\ufeff', '\ufeffa', '\u0000a'];
        const bound = await connection.read(
          sql`SELECT ${first[0]!} AS a, ${first[1]!} AS b, ${first} AS list`,
        );
        expect(bound).to.deep.equal([{ a: first[0], b: first[1], list: first }]);
      });
      await closes();
    });

    it('streams rows in order, exactly once, also none', async () => {
      await database.use(async (connection) => {
        const numbers: unknown[] = [];
        for await (const rows of connection.stream(sql`SELECT range AS n FROM range(10000)`))
          numbers.push(...rows.map(([n]) => Number(n)));
        expect(numbers).to.deep.equal(Array.from({ length: 10_000 }, (_, n) => n));
        for await (const rows of connection.stream(sql`SELECT 1 AS n WHERE FALSE`))
          expect(rows).to.equal('nothing');
      });
      await closes();
    });

    it('throws when a stream fails half way', async () => {
      await database.use(async (connection) => {
        const failing = sql`
        SELECT CASE WHEN range = 900000 THEN error('half way') ELSE 'fine' END AS a FROM range(1000000)`;
        let rows = 0;
        const consume = async () => {
          for await (const chunk of connection.stream(failing)) rows += chunk.length;
        };
        expect((await rejection(consume())).message).to.equal('the stream broke off');
        expect(rows).to.be.greaterThan(0);
      });
      await closes();
    });

    it('lets go of a stream that is left early', async () => {
      await database.use(async (connection) => {
        const endless = sql`SELECT a.range AS n FROM range(1000000) a, range(1000000) b`;
        for await (const rows of connection.stream(endless)) {
          expect(rows).to.have.length(2048);
          break;
        }
        expect(await connection.read(sql`SELECT 1::BIGINT AS n`)).to.deep.equal([{ n: 1n }]);
      });
      await closes();
    });

    it('appends rows and collects text', async () => {
      await database.use(async (connection) => {
        await connection.run(sql`CREATE TABLE a (n BIGINT, t VARCHAR[])`);
        const rows = Array.from({ length: 5000 }, (_, n) => [
          BigInt(n),
          n % 2 === 0 ? ['é'] : null,
        ]);
        await connection.append('a', toRowChunks(['BIGINT', 'VARCHAR[]'], rows));
        const query = sql`SELECT CAST(n AS DOUBLE) AS n, t[1] AS t FROM a ORDER BY n`;
        const target = {
          path: path.join(directory(), 'text'),
          columns: [
            { name: 'n', type: 'number' },
            { name: 't', type: 'string' },
          ],
          separator: ' ',
          rowsMax: Infinity,
        } as const;
        const { inMemory, ...facts } = await collectText(connection, query, target);
        const text = rows
          .map(([n, t]) => `{"n":${String(n)},"t":${t === null ? null : '"é"'}}`)
          .join(' ');
        expect(Buffer.from(inMemory ?? []).toString()).to.equal(text);
        expect(facts).to.deep.equal({
          rowCount: 5000,
          kinds: ['i', 'sn'],
          place: null,
        });
      });
      await closes();
    });

    for (const count of [1, 3, 100])
      it(`appends values of every type, ${count} rows at once`, async () => {
        await database.use(async (connection) => {
          await connection.run(sql`CREATE TABLE typed
            (n BIGINT, i INTEGER, b BOOLEAN, v VARCHAR, t TIMESTAMP, l VARCHAR[])`);
          const full = [
            -(2n ** 62n),
            -7,
            true,
            'é\u0000"😀',
            1_700_000_000_000_001n,
            ['a', '', 'ü'],
          ];
          const empty = full.map(() => null);
          const rows = Array.from({ length: count }, (_, n) => (n % 2 === 0 ? full : empty));
          const types = [
            'BIGINT',
            'INTEGER',
            'BOOLEAN',
            'VARCHAR',
            'TIMESTAMP',
            'VARCHAR[]',
          ] as const;
          await connection.append('typed', toRowChunks(types, rows));
          const found = await connection.read(sql`SELECT * FROM typed ORDER BY rowid`);
          expect(found.map((row) => Object.values(row))).to.deep.equal(rows);
        });
        await closes();
      });

    it('gives errors their kind, also those of the disk', async () => {
      await database.use(async (connection) => {
        expect(await rejection(connection.read(sql`SELECT nothing`))).to.include({ kind: 'other' });
        await connection.run(sql`CREATE TABLE a (n BIGINT PRIMARY KEY)`);
        await connection.run(sql`INSERT INTO a VALUES (1)`);
        expect(await rejection(connection.run(sql`INSERT INTO a VALUES (1)`))).to.include({
          name: 'EngineError',
          kind: 'constraint',
        });
        const target = {
          path: path.join(directory(), 'no', 'text'),
          columns: [{ name: 't', type: 'string' }],
          separator: '',
          rowsMax: 1e9,
        } as const;
        const long = sql`SELECT repeat('x', 1000) AS t FROM range(2000)`;
        expect(await rejection(collectText(connection, long, target))).to.include({
          kind: 'storage',
        });
      });
      await closes();
    });

    it('interrupts what runs, also when it is closed', async () => {
      const connection = await database.connect();
      const endless = sql`SELECT count(*) AS n FROM range(1000000) a, range(1000000) b WHERE a.range % 7 = b.range % 5`;
      const state = { done: false };
      const failed = rejection(connection.read(endless)).finally(() => (state.done = true));
      while (!state.done) {
        connection.interrupt();
        await new Promise(setImmediate);
      }
      expect(await failed).to.include({ kind: 'interrupted' });
      const again = rejection(connection.read(endless)).finally(() =>
        database.disconnect(connection),
      );
      await closes();
      expect(await again).to.include({ kind: 'interrupted' });
      expect(await rejection(database.connect())).to.include({ kind: 'interrupted' });
    });

    it('reads timestamps as microseconds', async () => {
      const rows = await database.use((connection) =>
        connection.read(sql`SELECT TIMESTAMP '1970-01-01 00:00:01.000002' AS t`),
      );
      expect(rows).to.deep.equal([{ t: 1_000_002n }]);
      await closes();
    });
  });

const moduleOf = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

describe('the thread of an engine instance', () => {
  const directory = temporaryDirectory();
  const open = (functions: URL | null = null) =>
    openInMemory(directory(), { threads: 1 }, functions);

  it('fails all calls with kind `fatal` when something unforeseen is thrown in it', async () => {
    const database = await open();
    const connection = await database.connect();
    const endless = sql`SELECT count(*) AS n FROM range(1000000) a, range(1000000) b WHERE a.range % 7 = b.range % 5`;
    const reading = rejection(connection.read(endless));
    const fault = `export const run = () => {
      setTimeout(() => { throw new Error('provoked'); }, 100);
    };`;
    await database.runModule(moduleOf(fault), null);
    expect(await reading).to.include({
      kind: 'fatal',
      message: 'the thread of the engine failed: provoked',
    });
    expect(await rejection(connection.read(sql`SELECT 1`))).to.include({ kind: 'fatal' });
    expect(await rejection(database.use((c) => c.read(sql`SELECT 1`)))).to.include({
      kind: 'fatal',
    });
    expect(database.hasFailed).to.equal(true);
    database.disconnect(connection);
    await database.close();
    const next = await open();
    expect(await next.use((c) => c.read(sql`SELECT 1::BIGINT AS n`))).to.deep.equal([{ n: 1n }]);
    await next.close();
  });

  it('frees the memory of a stream that is open when its connection is closed', async () => {
    const database = await open();
    const other = await database.connect();
    const usage = sql`SELECT sum(memory_usage_bytes)::DOUBLE AS bytes FROM duckdb_memory()`;
    const used = async () => Number((await other.read(usage))[0]!['bytes']);
    const before = await used();
    const connection = await database.connect();
    const rows = sql`SELECT repeat('x', 1000) || range FROM range(20000) ORDER BY 1`;
    await connection.stream(rows).next();
    expect(await used()).to.be.greaterThan(before + 10_000_000);
    database.disconnect(connection);
    await waitUntil('the memory is free', async () => (await used()) < before + 1_000_000);
    database.disconnect(other);
    await database.close();
  });

  it('stops a result that is materialised when its reader is interrupted', async () => {
    const database = await openInMemory(directory(), { threads: 1, hasSmallResults: true });
    const connection = await database.connect();
    const stream = connection.stream(sql`SELECT range AS n FROM range(100000)`);
    await stream.next();
    connection.interrupt();
    expect(await rejection(stream.next())).to.include({
      kind: 'interrupted',
      message: 'the read was interrupted',
    });
    database.disconnect(connection);
    await database.close();
  });

  it('closes the instance that it opens when something unforeseen is thrown meanwhile', async () => {
    const fault = `export const scalarFunctions = () => {
      setImmediate(() => { throw new Error('provoked'); });
      return [];
    };`;
    expect(await rejection(open(moduleOf(fault)))).to.include({ kind: 'fatal' });
    const next = await open();
    expect(await next.use((c) => c.read(sql`SELECT 1::BIGINT AS n`))).to.deep.equal([{ n: 1n }]);
    await next.close();
  });

  it('is not used again after code could not be loaded into it', async () => {
    const file = path.join(directory(), 'functions.mjs');
    await writeFile(file, `throw new Error('provoked');`);
    expect(await rejection(open(pathToFileURL(file)))).to.include({ message: 'provoked' });
    await writeFile(file, 'export const scalarFunctions = () => [];');
    const database = await open(pathToFileURL(file));
    await database.close();
  });

  it('lets the event loop of the caller go on', async () => {
    const database = await open();
    const state = { done: false };
    const reading = database
      .use((c) => c.read(sql`SELECT range || repeat('x', 100) AS t FROM range(20000)`))
      .finally(() => (state.done = true));
    let turns = 0;
    while (!state.done) {
      turns += 1;
      await new Promise(setImmediate);
    }
    expect(await reading).to.have.length(20_000);
    expect(turns).to.be.greaterThan(3);
    await database.close();
  });
});
