// Random JSON documents as (text, model), where the model keeps what the text says: number spelling,
// key order, repeated keys.
import * as fc from 'fast-check';

export type Model =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly Model[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Model])[] };

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength: 1, maxLength });

const numberText = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: digits(30).map((text) => text.replace(/^0+(?=\d)/, '')),
    fraction: fc.option(digits(30), { nil: null }),
    exponent: fc.option(fc.tuple(fc.constantFrom('e', 'E-', 'e+'), digits(4)), { nil: null }),
  })
  .map(
    ({ sign, whole, fraction, exponent }) =>
      `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent?.join('') ?? ''}`,
  );

const scalar: fc.Arbitrary<Model> = fc.oneof(
  fc.constantFrom('null', 'true', 'false').map((text) => ({ kind: 'literal' as const, text })),
  fc
    .oneof(numberText, fc.double({ noNaN: true, noDefaultInfinity: true }).map(String))
    .map((text) => ({ kind: 'number' as const, text })),
  fc.string({ unit: 'binary' }).map((value) => ({ kind: 'string' as const, value })),
);

const key = fc.oneof(
  fc.integer({ min: 0, max: 12 }).map(String),
  fc.constantFrom('a', 'b', '', '4294967295', '__proto__', 'constructor', '01', '1.5', '-1'),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

export const modelArbitrary: fc.Arbitrary<Model> = fc.letrec<{ value: Model }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    scalar,
    fc
      .array(tie('value'), { maxLength: 4, depthIdentifier: 'json' })
      .map((items) => ({ kind: 'array' as const, items })),
    fc
      .array(fc.tuple(key, tie('value')), { maxLength: 5, depthIdentifier: 'json' })
      .map((members) => ({ kind: 'object' as const, members })),
  ),
})).value;

export interface Spelling {
  readonly space: string;
  readonly escapeAll: boolean;
}

export const spellingArbitrary: fc.Arbitrary<Spelling> = fc.record({
  space: fc.constantFrom('', ' ', '\n\t'),
  escapeAll: fc.boolean(),
});

/** The document as a client might send it. */
export function spell(model: Model, spelling: Spelling): string {
  const { space } = spelling;
  switch (model.kind) {
    case 'literal':
    case 'number':
      return `${space}${model.text}${space}`;
    case 'string':
      return spellString(model.value, spelling);
    case 'array':
      return `${space}[${model.items.map((item) => spell(item, spelling)).join()}${space}]`;
    default:
      return `{${space}${model.members
        .map(([name, value]) => `${spellString(name, spelling)}${space}:${spell(value, spelling)}`)
        .join(`${space},${space}`)}${space}}`;
  }
}

function spellString(value: string, { escapeAll }: Spelling): string {
  if (!escapeAll) return JSON.stringify(value);
  const units = Array.from({ length: value.length }, (_, index) =>
    value.charCodeAt(index).toString(16).padStart(4, '0'),
  );
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}

/** Repeated keys resolved: the last value, at the place of the first. */
export function withoutRepeatedKeys(model: Model): Model {
  if (model.kind === 'array') return { kind: 'array', items: model.items.map(withoutRepeatedKeys) };
  if (model.kind !== 'object') return model;
  const members = new Map(model.members.map(([name, value]) => [name, withoutRepeatedKeys(value)]));
  return { kind: 'object', members: [...members] };
}

const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[a-z]+|[^]/g;

/** The tokens of compact JSON text, numbers as `mantissa e exponent` without trailing zeros. */
export const exactTokens = (text: string): readonly string[] =>
  (text.match(tokens) ?? []).map((token) => (/^-?\d/.test(token) ? exactValue(token) : token));

function exactValue(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = BigInt(whole.replace('-', '') + fraction).toString();
  if (all === '0') return '0';
  const significant = all.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + (all.length - significant.length);
  return `${whole.startsWith('-') ? '-' : ''}${significant}e${power}`;
}
