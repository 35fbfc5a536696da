// Random JSON documents as (text, model), where the model keeps what the text says: number spelling,
// key order, repeated keys.
import * as fc from 'fast-check';

export type Model =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly Model[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Model])[] };

export const text = (value: string): Model => ({ kind: 'string', value });
export const number = (spelled: string): Model => ({ kind: 'number', text: spelled });
export const literal = (spelled: string): Model => ({ kind: 'literal', text: spelled });
export const object = (members: readonly (readonly [string, Model])[]): Model => ({
  kind: 'object',
  members,
});

export function modelOf(value: unknown): Model {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return number(JSON.stringify(value));
  if (Array.isArray(value)) return { kind: 'array', items: value.map(modelOf) };
  if (typeof value !== 'object' || value === null) return literal(String(value));
  return object(Object.entries(value).map(([name, part]) => [name, modelOf(part)] as const));
}

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

/** Which characters of a string are escaped, beside those that must be. */
type Escapes = 'none' | 'all' | 'above ASCII' | 'for HTML' | 'slashes' | 'in capitals';

export interface Spelling {
  /** Around everything. */
  readonly space: string;
  readonly comma: string;
  readonly colon: string;
  readonly escapes: Escapes;
}

export const compact: Spelling = { space: '', comma: ',', colon: ':', escapes: 'none' };

/** As libraries of programming languages print JSON. */
export const clientSpellings = {
  JavaScript: compact,
  Python: { ...compact, comma: ', ', colon: ': ', escapes: 'above ASCII' },
  Go: { ...compact, escapes: 'for HTML' },
  Java: { ...compact, escapes: 'above ASCII' },
  'C#': { ...compact, escapes: 'in capitals' },
  Ruby: { ...compact, comma: ', ', colon: ': ' },
  PHP: { ...compact, escapes: 'slashes' },
  indented: { ...compact, comma: ',\n  ', colon: ': ' },
} as const satisfies Record<string, Spelling>;

export const spellingArbitrary: fc.Arbitrary<Spelling> = fc.oneof(
  fc.constantFrom(...Object.values(clientSpellings)),
  fc.record({
    space: fc.constantFrom('', ' ', '\n\t', '\r\n'),
    comma: fc.constantFrom(',', ' ,'),
    colon: fc.constantFrom(':', ' :\t'),
    escapes: fc.constantFrom('none', 'all'),
  }),
);

/** The document as a client might send it. */
export function spell(model: Model, spelling: Spelling): string {
  const { space, comma, colon, escapes } = spelling;
  switch (model.kind) {
    case 'literal':
    case 'number':
      return `${space}${model.text}${space}`;
    case 'string':
      return spellString(model.value, escapes);
    case 'array': {
      const items = model.items.map((item) => spell(item, spelling));
      return `${space}[${space}${items.join(comma)}${space}]`;
    }
    default: {
      const members = model.members.map(
        ([name, value]) => `${spellString(name, escapes)}${colon}${spell(value, spelling)}`,
      );
      return `{${space}${members.join(comma)}${space}}`;
    }
  }
}

const escaped: Readonly<Record<Escapes, RegExp>> = {
  none: /(?!)/,
  all: /[^]/,
  'above ASCII': /[^\0-~]/,
  'for HTML': /[<>&\u2028\u2029]/,
  slashes: /[^\0-~]|\//,
  'in capitals': /[^ -~]|["+&'<>`]/,
};

const spellString = (value: string, escapes: Escapes): string =>
  `"${Array.from(value, (character) => spellCharacter(character, escapes)).join('')}"`;

function spellCharacter(character: string, escapes: Escapes): string {
  if (!escaped[escapes].test(character)) return JSON.stringify(character).slice(1, -1);
  if (character === '/' && escapes === 'slashes') return String.raw`\/`;
  const digits = Array.from({ length: character.length }, (_, unit) =>
    character.charCodeAt(unit).toString(16).padStart(4, '0'),
  );
  const spelled = digits.map((four) => (escapes === 'in capitals' ? four.toUpperCase() : four));
  return spelled.map((four) => String.raw`\u` + four).join('');
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
