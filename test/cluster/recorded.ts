// What a cluster answered: kept in a file, so that tests without one see when the compiler makes other statements than were tried.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Recorded {
  readonly name: string;
  readonly sql: string;
  readonly rows: readonly (readonly unknown[])[];
}

const file = fileURLToPath(new URL('../../../test/cluster/recorded.txt', import.meta.url));

export const readRecorded = (): readonly Recorded[] =>
  JSON.parse(readFileSync(file, 'utf8')) as readonly Recorded[];

/** JSON, a row a line. */
export const writeRecorded = (answers: readonly Recorded[]): void =>
  writeFileSync(
    file,
    `[\n${answers
      .map(({ name, sql, rows }) => {
        const lines = rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
        return `  {"name": ${JSON.stringify(name)}, "sql": ${JSON.stringify(sql)}, "rows": [\n${lines}\n  ]}`;
      })
      .join(',\n')}\n]\n`,
  );
