// What the values and names of attributes become.
import { expect } from 'chai';
import type { JsonValue } from '../../src/json/json.js';
import { stringifyJson } from '../../src/json/stringify.js';
import type { ReadSpan } from '../../src/otlp/read-spans.js';
import { eventOf } from '../../src/otlp/row.js';
import { limits } from '../../src/schema/limits.js';
import { exportOf, readBody, rowWith, span, type Json } from './spans.js';

/** The JSON text of the metadata of a span whose attributes are this JSON text. */
function metadataText(list: string): string {
  const body = JSON.stringify(exportOf([span({ attributes: [] })]));
  const [read] = readBody(body.replace('"attributes":[]', `"attributes":${list}`)) as ReadSpan[];
  return stringifyJson(eventOf(read!.span, read!.origin, null)['metadata'] as JsonValue);
}

const valueText = (value: string): string =>
  metadataText(`[{"key":"a","value":${value}}]`).slice('{"a":'.length, -1);

describe('attributes of spans', () => {
  describe('values', () => {
    const values: readonly (readonly [string, string])[] = [
      ['{"stringValue":"text"}', '"text"'],
      ['{"stringValue":""}', '""'],
      ['{"boolValue":false}', 'false'],
      ['{"intValue":"12"}', '12'],
      ['{"intValue":12}', '12'],
      ['{"intValue":"9223372036854775807"}', '9223372036854775807'],
      ['{"intValue":-9223372036854775808}', '-9223372036854775808'],
      ['{"intValue":"9007199254740993"}', '9007199254740993'],
      ['{"intValue":"twelve"}', '"twelve"'],
      ['{"doubleValue":0.1}', '0.1'],
      ['{"intValue":"1e3"}', '1000'],
      ['{"intValue":1e3}', '1000'],
      ['{"intValue":"1.5"}', '"1.5"'],
      ['{"intValue":"1e30"}', '"1e30"'],
      ['{"doubleValue":"1.5"}', '1.5'],
      ['{"doubleValue":"-2E-3"}', '-0.002'],
      ['{"doubleValue":"1e999"}', '"1e999"'],
      ['{"doubleValue":"1.5x"}', '"1.5x"'],
      ['{"doubleValue":"NaN"}', '"NaN"'],
      ['{"doubleValue":"-Infinity"}', '"-Infinity"'],
      ['{"bytesValue":"AAEC/w=="}', '"AAEC/w=="'],
      ['{"arrayValue":{"values":[{"intValue":"1"},{"stringValue":"b"},{}]}}', '[1,"b",null]'],
      ['{"arrayValue":{}}', '[]'],
      ['{"kvlistValue":{"values":[{"key":"k","value":{"boolValue":true}}]}}', '{"k":true}'],
      ['{"kvlistValue":{"values":[{"key":"10","value":{}},{"key":"9"}]}}', '{"10":null,"9":null}'],
      ['{"kvlistValue":{"values":[{"key":"k"},{"key":"k","value":{"intValue":2}}]}}', '{"k":2}'],
      ['{"stringValue":"first","intValue":"2"}', '2'],
      ['{"unknownValue":1}', 'null'],
      ['null', 'null'],
      ['"bare"', '"bare"'],
    ];
    for (const [sent, stored] of values)
      it(`${sent} is ${stored}`, () => {
        expect(valueText(sent)).to.equal(stored);
      });

    it('of a key that comes twice is the last', () => {
      expect(
        metadataText('[{"key":"a","value":{"intValue":1}},{"key":"a","value":{"intValue":2}}]'),
      ).to.equal('{"a":2}');
    });

    it('have keys of any kind, in their order', () => {
      const keys = ['b', '10', '9', '', '__proto__', 'constructor', 'a.b', 'a"b'];
      const list = keys.map((key, value) => ({ key, value: { intValue: value } }));
      expect(metadataText(JSON.stringify(list))).to.equal(
        `{${keys.map((key, value) => `${JSON.stringify(key)}:${value}`).join()}}`,
      );
    });

    it('with __proto__ change no prototype, also as steps of a name', () => {
      const row = rowWith({
        'braintrust.metadata.__proto__.polluted': 1,
        'braintrust.input.__proto__': 2,
      });
      expect(JSON.stringify([row['metadata'], row['input']])).to.equal(
        '[{"__proto__":{"polluted":1}},{"__proto__":2}]',
      );
      expect(({} as Json)['polluted']).to.equal(undefined);
    });
  });

  describe('names that are paths', () => {
    it('make arrays of all indexes from 0, in any order, and objects of others', () => {
      const values = {
        'gen_ai.prompt.1.role': 'b',
        'gen_ai.prompt.0.role': 'a',
        'gen_ai.completion.0.role': 'a',
        'gen_ai.completion.4294967295.role': 'b',
      };
      const row = rowWith(values);
      expect(row['input']).to.deep.equal([{ role: 'a' }, { role: 'b' }]);
      expect(row['output']).to.deep.equal({ 0: { role: 'a' }, 4294967295: { role: 'b' } });
    });

    it('stay in the metadata where they contradict one another or have too many steps', () => {
      const deep = `gen_ai.prompt.${'a.'.repeat(limits.pathSteps.max)}b`;
      const row = rowWith({ 'gen_ai.prompt.0': 'a', 'gen_ai.prompt.0.role': 'b', [deep]: 'c' });
      expect(row['input']).to.deep.equal(['a']);
      expect(row['metadata']).to.deep.equal({ 'gen_ai.prompt.0.role': 'b', [deep]: 'c' });
    });
  });
});
