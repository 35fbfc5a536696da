// Describes the files and leaf columns that a statement reads, by arm.
import path from 'node:path';
import { join, toStatement, type Statement } from '../duckdb/sql.js';
import type { EventArm, EventRelation } from '../schema/event-relation.js';

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap(stringsIn) : [];
};

/** All files that a read of the arm can name. */
function filesOf({ rows, parts }: EventArm): readonly string[] {
  const named = [rows, ...(parts === undefined ? [] : [parts.from, parts.narrow])];
  const { values } = toStatement(join(named, ' '));
  const all = [...values.flatMap(stringsIn), ...Object.values(parts?.files ?? {})];
  return [...new Set(all)].filter((name) => path.isAbsolute(name));
}

/** The names of all leaf columns. */
const leavesOf = ({ paths }: EventArm): readonly string[] =>
  Object.values(paths ?? {})
    .flatMap(({ leaves }) => Array.from(leaves.values(), (leaf) => Object.values(leaf)))
    .flat()
    .filter((name): name is string => name !== null);

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** The files and leaf columns of an arm that statements read. */
interface Read {
  readonly files: readonly string[];
  readonly leaves: readonly string[];
}

function readOf(arm: EventArm, statements: readonly Statement[]): Read {
  const named = new Set(statements.flatMap(({ values }) => values.flatMap(stringsIn)));
  return {
    files: filesOf(arm).filter((file) => named.has(file)),
    leaves: leavesOf(arm).filter((name) =>
      statements.some(({ text }) => text.includes(quoted(name))),
    ),
  };
}

/** The path below the data directory; the name of a file in the temporary directory. */
function shortPath(file: string, dataDirectory: string): string {
  const below = path.relative(path.resolve(dataDirectory), file);
  return below.startsWith('..') ? `${path.basename(file)} (buffered rows, from the log)` : below;
}

function describeArm(arm: EventArm, statements: readonly Statement[], dataDirectory: string) {
  const { files, leaves } = readOf(arm, statements);
  if (files.length === 0)
    return [`${arm.name}: ${filesOf(arm).length === 0 ? 'no files' : 'not read'}`];
  return [
    `${arm.name}:`,
    ...files.map((file) => `  file ${shortPath(file, dataDirectory)}`),
    ...(leaves.length === 0 ? [] : [`  leaf columns ${leaves.join(', ')}`]),
  ];
}

/** The arms with the files and leaf columns that the statements name. */
export const describeRelation = (
  { arms }: EventRelation,
  statements: readonly Statement[],
  dataDirectory: string,
): string =>
  arms.length === 0
    ? 'no rows'
    : arms.flatMap((arm) => describeArm(arm, statements, dataDirectory)).join('\n');
