// Writes the rows of a result as JSON text, and collects the kinds of their values. SQL for both takes longer to plan than most
// queries run; the engine writes large results instead.
import { assertNever } from '../errors.js';
import { timestampText } from './timestamp-text.js';
import { doubleHolds } from './tree.js';

/**
 * `n` null, `b` boolean, `i` integer below 2^53, `l` other integer of 64 bits, `d` other number, `s` string, `t` timestamp,
 * `j` anything else, including other numbers that a double does not hold.
 */
export type ValueKind = (typeof valueKinds)[number];

export const valueKinds = ['n', 'b', 'i', 'l', 'd', 's', 't', 'j'] as const;

export interface ResultColumn {
  readonly name: string;
  /** JSON columns are JSON text, timestamps are microseconds since 1970. */
  readonly type: 'boolean' | 'number' | 'string' | 'timestamp' | 'json';
}

export type ResultValue = boolean | number | bigint | string | null;

export interface WrittenRow {
  readonly text: string;
  /** One letter for each column. */
  readonly kinds: string;
}

/** The bit of a kind in a number that holds several. */
export const bitOfKind = (kind: ValueKind): number => 2 ** valueKinds.indexOf(kind);

/** The kinds whose bits the number has, as one string. */
export const kindsOfBits = (bits: number): string =>
  valueKinds.filter((kind) => (bits & bitOfKind(kind)) !== 0).join('');

/** Collects the distinct kinds of each column. */
export class ColumnKinds {
  readonly #kinds: string[];
  #last = '';

  constructor(columnCount: number) {
    this.#kinds = Array.from({ length: columnCount }, () => '');
  }

  get ofColumns(): readonly string[] {
    return this.#kinds;
  }

  /** @param kinds the kinds of a row, one letter for each column */
  add(kinds: string): void {
    if (kinds === this.#last) return;
    this.#last = kinds;
    for (const [index, known] of this.#kinds.entries())
      if (!known.includes(kinds[index]!)) this.#kinds[index] += kinds[index]!;
  }
}

/** Writes a row, in the order of the columns. */
export function rowWriter(
  columns: readonly ResultColumn[],
): (value: (column: number) => ResultValue) => WrittenRow {
  const names = columns.map(
    ({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
  );
  return (valueOf) => {
    let text = '';
    let kinds = '';
    for (const [index, column] of columns.entries()) {
      const value = valueOf(index);
      const kind = kindOf(column, value);
      text += names[index]! + (kind === 'n' ? 'null' : textOf(column, value));
      kinds += kind;
    }
    return { text: `${text}}`, kinds };
  };
}

function kindOf({ type }: ResultColumn, value: ResultValue): ValueKind {
  if (value === null) return 'n';
  switch (type) {
    case 'boolean':
      return 'b';
    case 'number':
      if (!Number.isFinite(value)) return 'n';
      return Number.isSafeInteger(value) ? 'i' : 'd';
    case 'string':
      return 's';
    case 'timestamp':
      return 't';
    case 'json':
      return kindOfJson(String(value));
    default:
      return assertNever(type);
  }
}

function textOf({ type }: ResultColumn, value: ResultValue): string {
  switch (type) {
    case 'number':
      return numberText(Number(value));
    case 'string':
      return JSON.stringify(value);
    case 'timestamp':
      return `"${timestampText(value as bigint)}"`;
    default:
      return String(value);
  }
}

/** Numbers in the spelling of the engine. */
function numberText(number: number): string {
  if (Number.isInteger(number) && Math.abs(number) < 1e18) return String(BigInt(number));
  return String(number).replace('e+', 'e');
}

/** The kind of a JSON text other than a number, by its first character. */
export const kindsOfFirst: Readonly<Record<string, ValueKind>> = {
  '"': 's',
  '[': 'j',
  '{': 'j',
  t: 'b',
  f: 'b',
};

const kindOfJson = (text: string): ValueKind => kindsOfFirst[text[0] ?? ''] ?? kindOfNumber(text);

/** The kind of the text of a JSON number. */
export function kindOfNumber(text: string): 'i' | 'l' | 'd' | 'j' {
  const number = Number(text);
  if (isLong(text, number)) return 'l';
  if (!doubleHolds(text)) return 'j';
  if (Number.isSafeInteger(number)) return 'i';
  return Number.isInteger(number) ? 'j' : 'd';
}

const longMax = 2n ** 63n;

function isLong(text: string, number: number): boolean {
  if (Number.isSafeInteger(number) || !/^-?\d{16,19}$/.test(text)) return false;
  const whole = BigInt(text);
  return -longMax <= whole && whole < longMax;
}
