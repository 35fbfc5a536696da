// How large a query that is JSON may be.
import { expect } from 'chai';
import {
  areRefused,
  call,
  filtered,
  from,
  ident,
  literal,
  many,
  read,
  selected,
  type Refusal,
} from './json-nodes.js';

const nested = (depth: number) =>
  Array.from({ length: depth }).reduce<object>((expr) => ({ op: 'not', expr }), literal(true));

const listed = (depth: number) =>
  Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 1);

const chains = (count: number) => ({
  op: 'or',
  children: many(count, { op: 'and', children: many(500, literal(true)) }),
});

const calls = (depth: number) =>
  Array.from({ length: depth }).reduce<object>((inner) => call('lower', inner), ident('id'));

const texts = (count: number, text: string) =>
  filtered({ op: 'or', children: many(count, { btql: text }) });

describe('queries as JSON that are too large', () => {
  const refusals: readonly Refusal[] = [
    ['nesting', () => filtered(nested(101)), 'the expression is nested deeper than 100 levels'],
    [
      'nesting of a constant',
      () => selected(literal(listed(101))),
      'query.select[0].expr.value: the value is nested deeper than 100 levels',
    ],
    [
      'operators in a row',
      () => filtered({ op: 'or', children: many(502, literal(true)) }),
      'query.filter: more than 500 operators in a row: test long lists with "in"',
    ],
    ['operators', () => filtered(chains(11)), "more than 5000 operators: use 'in' for long lists"],
    [
      'calls',
      () =>
        filtered({ op: 'in', left: call('least', ...many(500, call('now'))), right: literal([]) }),
      'more than 500 calls of functions: request fewer at a time',
    ],
    ['nested calls', () => filtered(calls(31)), 'functions are nested deeper than 30 levels'],
    [
      'parts',
      () => selected(literal(many(40_001, 1))),
      'more than 40000 expressions, names and constants: request fewer at a time',
    ],
    [
      'a list',
      () => filtered({ op: 'in', left: ident('id'), right: literal(many(10_001, 1)) }),
      'query.filter.right: more than 10000 elements in a list of "in": request fewer at a time',
    ],
    [
      'a long path',
      () => selected(ident('metadata', ...Array.from({ length: 101 }, () => 'a'))),
      'a path has more than 100 parts below its field',
    ],
    [
      'columns',
      () => read({ select: many(1001, { expr: ident('id'), alias: 'x' }), from }),
      'query.select[1000]: more than 1000 columns: request fewer at a time',
    ],
  ];

  const lengths: readonly Refusal[] = [
    [
      'texts',
      () => texts(101, 'true'),
      'query.filter.children[100].btql: more than 100 texts: write expressions as JSON',
    ],
    [
      'words of all texts',
      () => texts(5, `id in [${many(4500, 1).join()}]`),
      'query.filter.children[4].btql: the texts of the query have more than 40000 tokens',
    ],
    [
      'characters',
      () => filtered(literal(many(11, 'a'.repeat(100_000)))),
      'query: its strings and names have more than 1000000 characters',
    ],
    [
      'characters of names',
      () =>
        filtered(
          literal(Object.fromEntries(many(11, 1).map((_, n) => [`${n}${'a'.repeat(100_000)}`, 1]))),
        ),
      'query: its strings and names have more than 1000000 characters',
    ],
  ];

  areRefused([...refusals, ...lengths]);

  it('are taken up to the limits', () => {
    for (const work of [
      () => filtered(nested(99)),
      () => selected(literal(listed(98))),
      () => filtered({ op: 'or', children: many(501, literal(true)) }),
      () => filtered(calls(30)),
      () => selected(literal(many(39_999, 1))),
      () => texts(100, 'true'),
      () => texts(4, `id in [${many(4500, 1).join()}]`),
      () => filtered(literal({ btql: "this is no text of the language: '" })),
      () => filtered({ op: 'in', left: ident('id'), right: literal(many(10_000, 1)) }),
    ])
      expect(work).not.to.throw();
  });
});
