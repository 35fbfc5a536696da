// Random expressions whose values are mostly of a wanted kind.
import * as fc from 'fast-check';
import { kinds, type Kind } from './evaluate.js';
import { apply, bucketUnits, intervalUnits, literal, type Expr } from './expression.js';
import { mixedPlace, places, values } from './pools.js';
import { signatures, type Signature, type Slot } from './signatures.js';

type Expressions = fc.Arbitrary<Expr>;

export const constant = (json: string): Expr => ({ kind: 'literal', json });

const strings = (texts: readonly string[]): Expressions => fc.constantFrom(...texts).map(literal);

const literalOf: Readonly<Record<Kind, Expressions>> = {
  null: fc.constant(constant('null')),
  boolean: fc.constantFrom(...values.boolean).map(constant),
  number: fc.constantFrom(...values.number).map(constant),
  big: fc.constantFrom(...values.big).map(constant),
  string: fc.constantFrom(...values.string).map(constant),
  timestamp: fc
    .tuple(fc.constantFrom(...values.timestamp), fc.constantFrom('to_datetime', 'day'))
    .map(([text, name]) => apply(name, constant(text))),
  array: fc.constantFrom(...values.array).map(constant),
  object: fc.constantFrom(...values.object).map(constant),
};

const leafOf = (kind: Kind): Expressions =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<Expr>(...places[kind]) },
    { weight: 1, arbitrary: literalOf[kind] },
  );

export const leaves = Object.fromEntries(kinds.map((kind) => [kind, leafOf(kind)])) as Readonly<
  Record<Kind, Expressions>
>;

export const anyKind: fc.Arbitrary<Kind> = fc.constantFrom(...kinds);
export const scalarKind = fc.constantFrom<Kind>(
  'number',
  'string',
  'boolean',
  'timestamp',
  'number',
  'string',
);

type Constant = Exclude<Slot, Kind | 'any' | 'same' | 'mixed'>;

const words = strings([
  'hello',
  'hello world',
  'world hello',
  'GPT 4',
  'gpt',
  'É',
  '!',
  '',
  '50%',
  'a',
  '1',
]);

export const constants: Readonly<Record<Constant, Expressions>> = {
  interval: fc
    .record({
      kind: fc.constant('interval' as const),
      amount: fc.constantFrom(0, 1, 2, 7, 13, 40),
      unit: fc.constantFrom(...intervalUnits),
    })
    .map((interval): Expr => interval),
  pattern: fc.oneof(
    strings(['%', 'gpt%', '%4', '%o%', 'GPT-4', 'hello%', '%é%', 'É', '50\\%%', '50\\%', '']),
    strings([
      '%a_b%',
      'a.b',
      '%"a":%',
      '%:%1%',
      '%\n%',
      '%long%end',
      '2024-%',
      '%T00:00:00Z',
      '[1%',
    ]),
    leaves.string,
  ),
  words,
  search: words,
  unit: strings(bucketUnits),
  'json path': strings([
    'a',
    'a.b[0]',
    'a.b',
    '[0]',
    '[-1]',
    'é[0]',
    'key with space',
    'A',
    '[1].a',
  ]),
};

/** An expression for a slot; `same` is the kind drawn for the slots that share one. */
function forSlot(slot: Slot, same: Kind, depth: number): Expressions {
  if (slot === 'same') return ofKind(same, depth);
  if (slot === 'mixed') return fc.constant<Expr>(mixedPlace);
  if (slot === 'any') return anyKind.chain((kind) => ofKind(kind, 0));
  return slot in constants
    ? constants[slot as keyof typeof constants]
    : ofKind(slot as Kind, depth);
}

export const isConstant = (slot: Slot): boolean =>
  slot in constants && slot !== 'pattern' && slot !== 'words';

export function applied(signature: Signature, same: Kind, depth: number): Expressions {
  const { op, slots, isOpen } = signature;
  const last = slots.at(-1) ?? 'any';
  const args = slots.map((slot) => forSlot(slot, same, depth));
  const more =
    isOpen === true ? fc.array(forSlot(last, same, depth), { maxLength: 2 }) : fc.constant([]);
  return fc.tuple(fc.tuple(...args), more).map(([first, rest]) => apply(op, ...first, ...rest));
}

const memo = new Map<string, Expressions>();

/** An expression whose value is mostly of the kind. */
export function ofKind(kind: Kind, depth: number): Expressions {
  const name = `${kind} ${depth}`;
  const known = memo.get(name) ?? (depth === 0 ? leaves[kind] : compound(kind, depth));
  memo.set(name, known);
  return known;
}

function compound(kind: Kind, depth: number): Expressions {
  const giving = signatures.filter(
    ({ op, result }) => (result === 'same' || result === kind) && !isUnclear(op, kind),
  );
  const inner = scalarKind.chain((same) =>
    fc
      .constantFrom(...giving)
      .chain((signature) =>
        applied(signature, signature.result === 'same' ? kind : same, depth - 1),
      ),
  );
  return fc.oneof({ weight: 3, arbitrary: leaves[kind] }, { weight: 4, arbitrary: inner });
}

/** Which of several equal arrays or objects comes out is open: their texts may differ. */
const isUnclear = (op: string, kind: Kind): boolean =>
  (op === 'least' || op === 'greatest') && (kind === 'array' || kind === 'object');
