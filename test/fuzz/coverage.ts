// How often every operator, function and aggregate met every kind of value, in how many queries.
import { kinds, type Kind } from './evaluate.js';
import { aggregateNames, clocks, signatures } from './signatures.js';

export interface Coverage {
  /** What one query met. */
  readonly add: (cells: ReadonlySet<string>) => void;
  readonly table: () => string;
  /** Cells below the least number, with their numbers. */
  readonly rare: (least: number) => readonly string[];
}

export const cell = (op: string, kind: Kind): string => `${op} of ${kind}`;

const ops = [
  ...new Set(
    signatures.map(({ op, slots }) => (slots.includes('interval') ? `${op} interval` : op)),
  ),
  ...aggregateNames,
];

export const openCoverage = (): Coverage => {
  const counts = new Map<string, number>();
  const countOf = (op: string, kind: Kind) => counts.get(cell(op, kind)) ?? 0;
  return {
    add: (cells) => {
      for (const name of cells) counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    table: () => {
      const lines = ops.map((op) => [op, ...kinds.map((kind) => String(countOf(op, kind)))]);
      return [
        ['', ...kinds],
        ...lines,
        ...clocks.map((name) => [name, String(countOf(name, 'null'))]),
      ]
        .map(
          ([op = '', ...cells]) => op.padEnd(16) + cells.map((each) => each.padStart(10)).join(''),
        )
        .join('\n');
    },
    rare: (least) => [
      ...ops.flatMap((op) =>
        kinds
          .filter((kind) => countOf(op, kind) < least && !isImpossible(op, kind))
          .map((kind) => `${cell(op, kind)}: ${countOf(op, kind)}`),
      ),
      ...clocks.filter((name) => countOf(name, 'null') < least),
    ],
  };
};

/** The fields that `search` looks into hold no timestamps. */
const isImpossible = (op: string, kind: Kind): boolean => op === 'search' && kind === 'timestamp';
