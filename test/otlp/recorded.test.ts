// The manual's page on spans, and what recorded spans become.
import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { format, resolveConfig } from 'prettier';
import { mapping } from '../../src/otlp/mapping.js';
import { mapSpan } from '../../src/otlp/map-span.js';
import type { ReadSpan } from '../../src/otlp/read-spans.js';
import type { Rule } from '../../src/otlp/rule.js';
import { plainJson } from '../../src/json/tree.js';
import { examples } from './mapping-examples.js';
import { spansPage } from './spans-page.js';
import { attributes, readExport, rowOf, span, type Json } from './spans.js';

interface Recorded {
  /** What emitted the span. */
  readonly from: string;
  readonly name: string;
  readonly attributes: Json;
  readonly events?: readonly { readonly name: string; readonly attributes: Json }[];
  /** The fields that it becomes, but for the attributes that stay in the metadata. */
  readonly row: Json;
}

const file = 'test/otlp/recorded-spans.json';
const recorded = JSON.parse(await readFile(file, 'utf8')) as readonly Recorded[];

const fieldsOf = ({ name, attributes: values, events = [] }: Recorded): Json => ({
  name,
  attributes: attributes(values),
  events: events.map((event) => ({ ...event, attributes: attributes(event.attributes) })),
});

/** The fields of a row that its attributes made. */
function madeOf(each: Recorded): Json {
  const { input, output, tags, scores, metrics, span_attributes, metadata } = rowOf(fieldsOf(each));
  const { start: _start, end: _end, ...counts } = metrics as Json;
  const { model, tools } = (metadata ?? {}) as Json;
  const { type } = span_attributes as Json;
  const made = { type, input, output, tags, scores, model, tools, metrics: counts };
  return Object.fromEntries(
    Object.entries(made).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** What the rules make of a span, as text. */
function resultOf(fields: Json, rules: readonly Rule[]): string {
  const [read] = readExport([span(fields)]) as readonly ReadSpan[];
  const { values, objects, usedEvents } = mapSpan(read!.span, rules);
  return JSON.stringify([
    [...values].map(([field, value]) => [field, plainJson(value)]),
    Object.entries(objects).map(([field, members]) => [
      field,
      [...members].map(([name, value]) => [name, plainJson(value)]),
    ]),
    Array.from(usedEvents.values(), (left) => Object.fromEntries(left)),
  ]);
}

const nameOf = (rule: Rule): string => {
  if ('from' in rule) return `${rule.from} -> ${rule.to}`;
  return 'event' in rule ? rule.event : Object.keys(rule.messages).join(', ');
};

describe('recorded spans', () => {
  for (const each of recorded)
    it(`${each.name} of ${each.from}`, () => {
      expect(madeOf(each)).to.deep.equal(each.row);
    });

  const kinds = mapping.flatMap((rule) =>
    'from' in rule
      ? Object.keys(rule.reader.results ?? {}).map((kind) => [rule.from, kind] as const)
      : [],
  );
  for (const [name, kind] of kinds)
    it(`have one with ${name} = ${kind}`, () => {
      expect(recorded.some(({ attributes: values }) => values[name] === kind)).to.equal(true);
    });

  const all = [
    ...recorded.map(fieldsOf),
    ...Object.values(examples).map((example) => ({ attributes: attributes(example.attributes) })),
  ];
  for (const rule of mapping)
    it(`have one that depends on ${nameOf(rule)}`, () => {
      const others = mapping.filter((other) => other !== rule);
      expect(all.some((fields) => resultOf(fields, mapping) !== resultOf(fields, others))).to.equal(
        true,
      );
    });
});

describe('the page on spans', () => {
  it('is made of the mapping', async () => {
    const page = 'src/manual/spans.md';
    const options = await resolveConfig(page);
    const made = await format(spansPage(), { ...options, parser: 'markdown' });
    if (process.env['EVALSTORE_WRITE_PAGES'] === '1') await writeFile(page, made);
    expect(await readFile(page, 'utf8'), 'EVALSTORE_WRITE_PAGES=1 writes the page').to.equal(made);
  });
});
