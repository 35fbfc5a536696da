// Bodies in JSON: which are read, and which are refused.
import { expect } from 'chai';
import { limits } from '../../src/schema/limits.js';
import { attributes, exportOf, onlyPath, readBody, refusalOf, span, type Json } from './spans.js';

/** A body with one attribute that has this JSON text as its value. */
const withValue = (value: string): string =>
  JSON.stringify(exportOf([span({ attributes: [{ key: 'a', value: 0 }] })])).replace(
    '"value":0',
    `"value":${value}`,
  );

describe('JSON bodies of spans', () => {
  const empty: readonly string[] = [
    '{}',
    '{"resourceSpans":[]}',
    '{"resourceSpans":null}',
    ' {"resourceSpans" : [ {"scopeSpans" : null , "schemaUrl": null} , {"scopeSpans":[{"spans":null}]} ] } ',
    '{"unknown":{"a":[1]},"resourceSpans":[{"other":1,"scopeSpans":[{"other":[2],"spans":[]}]}]}',
  ];
  for (const body of empty)
    it(`${body} has no spans`, () => {
      expect(readBody(body)).to.deep.equal([]);
    });

  it('may have the resource and the scope behind the spans', () => {
    const group = exportOf([span()], { attributes: attributes({ a: 1 }) }, { name: 's' });
    const [{ resource, scopeSpans }] = group['resourceSpans'] as [Json & { scopeSpans: Json[] }];
    const [{ scope, spans }] = scopeSpans as [Json];
    const body = { resourceSpans: [{ scopeSpans: [{ spans, scope }], resource }] };
    expect(readBody(JSON.stringify(body))).to.deep.equal(readBody(JSON.stringify(group)));
  });

  it('may have a list twice, and names with escapes', () => {
    const one = JSON.stringify(exportOf([span()])).slice(1, -1);
    expect(
      readBody(`{${one},${one.replace('resourceSpans', String.raw`resource\u0053pans`)}}`),
    ).to.have.length(2);
  });

  const wrong: readonly (readonly [string, string])[] = [
    ['', 'request body: expected an object, got nothing'],
    [' \n', 'request body: expected an object, got nothing'],
    ['[]', 'request body: expected an object, got an array'],
    ['no', 'request body is not valid JSON at line 1, column 1: invalid symbol'],
    ['{', 'request body is not valid JSON at line 1, column 2: property name expected'],
    ['{"a" 1}', 'request body is not valid JSON at line 1, column 6: colon expected'],
    ['{"a":}', 'request body is not valid JSON at line 1, column 6: value expected'],
    ['{"a":1 2}', 'request body is not valid JSON at line 1, column 8: end of file expected'],
    ['{"a":1]', 'request body is not valid JSON at line 1, column 7: comma expected'],
    ['{"a":1,}', 'request body is not valid JSON at line 1, column 8: property name expected'],
    ['{}{}', 'request body is not valid JSON at line 1, column 3: end of file expected'],
    [
      String.raw`{"\x":1}`,
      'request body is not valid JSON at line 1, column 2: property name expected',
    ],
    ['{"resourceSpans":5}', 'resourceSpans: expected an array, got 5'],
    ['{"resourceSpans":[5]}', 'resourceSpans[0]: expected an object, got 5'],
    ['{"resourceSpans":[{}', 'request body is not valid JSON at line 1, column 21: comma expected'],
    [
      '{"resourceSpans":[{"scopeSpans":{}}]}',
      'resourceSpans[0].scopeSpans: expected an array, got an object',
    ],
    [
      '{"resourceSpans":[{"scopeSpans":[null]}]}',
      'resourceSpans[0].scopeSpans[0]: expected an object, got null',
    ],
    [
      '{"resourceSpans":[{"resource":tru}]}',
      'request body is not valid JSON at line 1, column 31: invalid symbol',
    ],
    ['{"resourceSpans":[{"resource":5}]}', 'resourceSpans[0]: resource: expected an object, got 5'],
    [
      '{"resourceSpans":[{"resource":{"attributes":5}}]}',
      'resourceSpans[0]: attributes: expected an array, got 5',
    ],
    [
      '{"resourceSpans":[{"scopeSpans":[{"scope":5}]}]}',
      'resourceSpans[0].scopeSpans[0]: scope: expected an object, got 5',
    ],
    [
      '{"resourceSpans":[{"scopeSpans":[{"scope":{"name":5}}]}]}',
      'resourceSpans[0].scopeSpans[0]: name: expected a string, got 5',
    ],
    [
      '{\n"resourceSpans":[{"scopeSpans":[{"spans":[{"name":01}]}]}]}',
      'request body is not valid JSON at line 2, column 52: comma expected',
    ],
  ];
  for (const [body, text] of wrong)
    it(`${JSON.stringify(body)} is refused`, () => {
      expect(refusalOf(() => readBody(body))).to.equal(text);
    });

  it('that nest too deep, or hold too many values, are refused', () => {
    const deep = `${'{"arrayValue":{"values":['.repeat(400)}${']}}'.repeat(400)}`;
    expect(refusalOf(() => readBody(withValue(deep)))).to.equal(
      'request body is nested more than 1000 levels deep',
    );
    const many = `[${'0,'.repeat(limits.spanValues.max)}0]`;
    expect(refusalOf(() => readBody(withValue(many)))).to.equal(
      `${onlyPath}: expected at most ${limits.spanValues.max} members and elements, got more`,
    );
    expect(refusalOf(() => readBody(withValue('1'.repeat(10_001))))).to.equal(
      `${onlyPath}: expected numbers of at most 10000 characters, got a longer one`,
    );
  });

  it('with too many spans, resources or scopes are refused', () => {
    const lists = {
      spans: `{"resourceSpans":[{"scopeSpans":[{"spans":[${'{},'.repeat(100_000)}{}]}]}]}`,
      'resources and scopes': `{"resourceSpans":[${'{},'.repeat(100_000)}{}]}`,
    };
    for (const [name, body] of Object.entries(lists))
      expect(refusalOf(() => readBody(body))).to.equal(
        `request body: expected at most 100000 ${name}, got more`,
      );
  });
});
