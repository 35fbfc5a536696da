// Random expressions that try every operator and function with every kind of value.
import * as fc from 'fast-check';
import {
  anyKind,
  applied,
  constant,
  constants,
  isConstant,
  leaves,
  ofKind,
} from './arbitrary-operand.js';
import type { Kind } from './evaluate.js';
import { apply, bucketUnits, type Expr } from './expression.js';
import { hugePlace, places, unsortedObjects, values } from './pools.js';
import { clocks, signatures, type Signature } from './signatures.js';

type Expressions = fc.Arbitrary<Expr>;

const isoText: Expressions = fc.oneof(
  fc.constant<Expr>({ kind: 'path', field: 'metadata', steps: ['time'] }),
  fc.constantFrom(...values.timestamp).map(constant),
);

/** What the operators and functions are tried with beside what they naturally take. */
const probing: fc.Arbitrary<Kind | 'mixed'> = fc.oneof(
  { weight: 5, arbitrary: fc.constant('mixed' as const) },
  { weight: 3, arbitrary: fc.constant('timestamp' as const) },
  { weight: 3, arbitrary: anyKind },
);

/** One operand is of the kind. */
function probed(signature: Signature, kind: Kind | 'mixed', same: Kind): Expressions {
  const { slots, isMixing } = signature;
  if (isMixing === true && kind === 'timestamp') return applied(signature, kind, 1);
  if (isMixing === true && same === 'timestamp') return probed(signature, kind, 'string');
  const free = slots.flatMap((slot, index) => (isConstant(slot) ? [] : [index]));
  if (free.length === 0) return applied(signature, same, 1);
  return fc
    .constantFrom(...free)
    .chain((place) =>
      applied(
        { ...signature, slots: slots.map((slot, index) => (index === place ? kind : slot)) },
        same,
        1,
      ),
    );
}

const sweepOf = (signature: Signature): fc.Arbitrary<readonly Expr[]> =>
  fc.tuple(probed(signature, 'mixed', 'number'), probed(signature, 'timestamp', 'string'));

/** Two operators or functions of values of all kinds in the rows, and of timestamps. */
export const sweep: fc.Arbitrary<readonly Expr[]> = fc
  .tuple(fc.constantFrom(...signatures), fc.constantFrom(...signatures))
  .chain(([first, second]) => fc.tuple(sweepOf(first), sweepOf(second)))
  .map((swept) => swept.flat());

const clock: Expressions = fc
  .tuple(fc.constantFrom(...clocks), leaves.timestamp, fc.constantFrom('<', '>=', '!='))
  .map(([name, moment, op]) => apply(op, moment, apply(name)));

const recently: Expressions = fc
  .tuple(leaves.timestamp, constants.interval)
  .map(([moment, interval]) => apply('>', moment, apply('-', apply('now'), interval)));

const isoComparison: Expressions = fc
  .tuple(
    leaves.timestamp,
    isoText,
    fc.constantFrom('=', '<=>', '!=', '<', '<=', '>', '>='),
    fc.boolean(),
  )
  .map(([moment, text, op, isTurned]) =>
    apply(op, ...(isTurned ? [text, moment] : [moment, text])),
  );

const unsortedComparison: Expressions = fc
  .tuple(
    fc.constantFrom('=', '<=>', '!=', 'in', 'includes', 'not includes', 'nullif'),
    fc.constantFrom<Expr>(...places.object, ...places.array),
    fc.constantFrom(...unsortedObjects).map(constant),
  )
  .map(([op, path, object]) => apply(op, path, object));

const isoCall: Expressions = fc
  .tuple(fc.constantFrom(...bucketUnits, 'to_date', 'to_datetime'), isoText)
  .map(([name, text]) => apply(name, text));

/** Every operator and function as often as any other, with every kind as often as any other. */
export const probe: Expressions = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(fc.constantFrom(...signatures), probing, fc.nat(4), anyKind)
      .chain(([signature, kind, chance, same]) =>
        chance === 0 ? applied(signature, same, 1) : probed(signature, kind, same),
      ),
  },
  { weight: 1, arbitrary: isoComparison },
  { weight: 1, arbitrary: isoCall },
  { weight: 2, arbitrary: fc.oneof(clock, recently) },
  { weight: 1, arbitrary: unsortedComparison },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('=', '<', 'in', 'is null', '+'), fc.constantFrom('0', '1', '0.5'))
      .map(([op, json]) => apply(op, hugePlace, ...(op === 'is null' ? [] : [constant(json)]))),
  },
);

export const bare: Expressions = fc.oneof(
  anyKind.chain((kind) => fc.constantFrom<Expr>(...places[kind])),
  fc.constant<Expr>(hugePlace),
);

export const condition: Expressions = fc.oneof(
  { weight: 3, arbitrary: ofKind('boolean', 2) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('is not null', 'is null'), bare)
      .map(([op, path]) => apply(op, path)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(ofKind('boolean', 1), ofKind('boolean', 1))
      .map(([left, right]) => apply('or', left, right)),
  },
);
