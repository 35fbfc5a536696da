// What no statement may do in any engine of the server, whoever wrote it: files outside of the data directory, extensions, settings.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Database } from '../../src/duckdb/database.js';
import { trusted } from '../../src/duckdb/sql.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const sources = fileURLToPath(new URL('../../../src/', import.meta.url));

describe('lockdown', () => {
  const directory = temporaryDirectory();
  const inside = () => path.join(directory(), 'data');
  const outside = () => path.join(directory(), 'written');

  const forbidden: Readonly<Record<string, () => string>> = {
    'read a file': () => `SELECT * FROM read_text('/etc/passwd')`,
    'read a file as a table': () => `SELECT * FROM '/etc/passwd.csv'`,
    'read a file by the way up': () => `SELECT * FROM read_text('${inside()}/../../../etc/passwd')`,
    'list files': () => `SELECT * FROM glob('/etc/*')`,
    'write a file': () => `COPY (SELECT 1) TO '${outside()}'`,
    'write a directory': () => `EXPORT DATABASE '${outside()}'`,
    'attach a database': () => `ATTACH '${outside()}'`,
    'install an extension': () => 'INSTALL httpfs',
    'load an extension': () => 'LOAD httpfs',
    'allow access': () => 'SET enable_external_access = true',
    'allow directories': () => `SET allowed_directories = ['/']`,
    'allow settings': () => 'SET lock_configuration = false',
    'change a setting': () => "SET memory_limit = '100GB'",
  };

  for (const file of [':memory:', 'of a file'])
    for (const [what, statement] of Object.entries(forbidden))
      it(`an engine (${file}) does not ${what}`, async () => {
        const name = file === ':memory:' ? file : path.join(inside(), 'a.duckdb');
        const database = await Database.open(name, {
          memoryMb: 100,
          threads: 1,
          temporaryDirectory: path.join(inside(), 'tmp'),
          allowedDirectories: [inside()],
        });
        try {
          const refused = rejection(
            database.use((connection) => connection.read(trusted(statement()))),
          );
          expect(String(await refused)).to.match(
            /Permission Error|disabled by configuration|configuration has been locked/,
          );
          expect(existsSync(outside())).to.equal(false);
        } finally {
          await database.close();
        }
      });

  it('is that of all engines: one place opens them', () => {
    const opening = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .filter((name) =>
        /DuckDBInstance\.(create|fromCache)/.test(readFileSync(path.join(sources, name), 'utf8')),
      );
    expect(opening).to.deep.equal([path.join('duckdb', 'database.ts')]);
  });
});
