// Which files and which of their leaf columns a statement reads, arm by arm.
import path from 'node:path';
import { join, toStatement, type Statement } from '../duckdb/sql.js';
import type { EventArm, EventRelation } from '../schema/event-relation.js';

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap(stringsIn) : [];
};

/** Every file that reading the arm in any way may name. */
function filesOf({ rows, parts }: EventArm): readonly string[] {
  const named = [rows, ...(parts === undefined ? [] : [parts.from, parts.narrow])];
  const { values } = toStatement(join(named, ' '));
  const all = [...values.flatMap(stringsIn), ...Object.values(parts?.files ?? {})];
  return [...new Set(all)].filter((name) => path.isAbsolute(name));
}

/** Names of the leaf columns. */
const leavesOf = ({ paths }: EventArm): readonly string[] =>
  Object.values(paths ?? {})
    .flatMap(({ leaves }) => Array.from(leaves.values(), (leaf) => Object.values(leaf)))
    .flat()
    .filter((name): name is string => name !== null);

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** What is read of an arm. */
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

/** Below the data directory, or in the temporary directory. */
function placeOf(file: string, dataDirectory: string): string {
  const place = path.relative(path.resolve(dataDirectory), file);
  return place.startsWith('..') ? `${path.basename(file)} (buffered rows, from the log)` : place;
}

function describeArm(arm: EventArm, statements: readonly Statement[], dataDirectory: string) {
  const { files, leaves } = readOf(arm, statements);
  if (files.length === 0)
    return [`${arm.name}: ${filesOf(arm).length === 0 ? 'no files' : 'not read'}`];
  return [
    `${arm.name}:`,
    ...files.map((file) => `  file ${placeOf(file, dataDirectory)}`),
    ...(leaves.length === 0 ? [] : [`  leaf columns ${leaves.join(', ')}`]),
  ];
}

/** Each arm with those of its files and leaf columns that the statements name. */
export const describeRelation = (
  { arms }: EventRelation,
  statements: readonly Statement[],
  dataDirectory: string,
): string =>
  arms.length === 0
    ? 'no rows'
    : arms.flatMap((arm) => describeArm(arm, statements, dataDirectory)).join('\n');
