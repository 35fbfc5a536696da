// Nodes of queries as JSON, and what is read of them.
import { expect } from 'chai';
import { QueryError } from '../../src/errors.js';
import type { JsonValue } from '../../src/json/json.js';
import { readJsonQuery } from '../../src/query/syntax/json/query.js';
import { compile } from './golden-file.js';
import { oneBranch } from './fixture.js';

export const ident = (...name: readonly (string | number)[]) => ({ op: 'ident', name });
export const literal = (value: unknown) => ({ op: 'literal', value });
export const call = (name: string, ...args: readonly unknown[]) => ({
  op: 'function',
  name: ident(name),
  args,
});
export const from = call('experiment', literal('e1'));
export const star = [{ op: 'star' }];
export const eq = (left: unknown, right: unknown) => ({ op: 'eq', left, right });

export const many = (count: number, each: unknown) => Array.from({ length: count }, () => each);

export const read = (query: unknown) => readJsonQuery(query as JsonValue);
export const filtered = (filter: unknown) => read({ select: star, from, filter });
export const selected = (expr: unknown) => read({ select: [{ expr, alias: 'x' }], from });

export const compileJson = (value: unknown) => compile(JSON.stringify(value), oneBranch);

/** What is refused, how it is read, and how the refusal begins or what it says. */
export type Refusal = readonly [name: string, work: () => unknown, text: string];

export const areRefused = (refusals: readonly Refusal[]): void => {
  for (const [name, work, text] of refusals)
    it(`are refused for ${name}`, () => {
      expect(work).to.throw(QueryError, text);
    });
};
