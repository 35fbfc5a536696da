// Values made compact in place, against what JSON.parse and JSON.stringify make of them; texts that end anywhere.
import { expect } from 'chai';
import { copyText, createText, written, begin } from '../../src/json/compact/text.js';
import { stringOfJson } from '../../src/json/json-text.js';
import { compactValue } from '../../src/json/compact/value.js';
import { clientSpellings, spell, type Model } from './json-arbitrary.js';
import { allCharacters } from '../support/odd-strings.js';

const text = createText();

/** Null when it is left to the parser; the value must end where the text does. */
function compact(bytes: Buffer): string | null {
  if (!copyText(text, bytes, 0, bytes.length)) return null;
  text.names.count = 0;
  begin(text, 0);
  const end = compactValue(text, 0, 1);
  return end === text.end ? stringOfJson(written(text, 0, end)) : null;
}

const ofText = (json: string) => compact(Buffer.from(json));

const document: Model = {
  kind: 'object',
  members: [
    [
      'text',
      { kind: 'string', value: 'a "b" \\ é€😀\n\u0001 </p> and a run of more than sixteen bytes' },
    ],
    [
      'größe',
      {
        kind: 'array',
        items: ['1', '-0.5', '1.0', '12.50', '1732312345.1234567'].map((spelled) => ({
          kind: 'number',
          text: spelled,
        })),
      },
    ],
    [
      '',
      {
        kind: 'array',
        items: ['true', 'false', 'null'].map((word) => ({ kind: 'literal', text: word })),
      },
    ],
    ['none', { kind: 'object', members: [['of', { kind: 'array', items: [] }]] }],
  ],
};

describe('json/compact', () => {
  for (const [name, spelling] of Object.entries(clientSpellings)) {
    const json = spell(document, spelling);
    const bytes = Buffer.from(json);

    it(`prints what JSON.stringify does: ${name}`, () => {
      expect(ofText(json)).to.equal(JSON.stringify(JSON.parse(json)));
    });

    it(`takes no text that ends too early, and no byte behind its end: ${name}`, () => {
      for (let length = 0; length < bytes.length; length += 1) {
        // What was there before would complete it.
        copyText(text, bytes, 0, bytes.length);
        expect(compact(bytes.subarray(0, length)), bytes.toString('utf8', 0, length)).to.equal(
          null,
        );
      }
    });
  }

  it('reads a number that ends with the text, not the digits behind it', () => {
    copyText(text, Buffer.from('123456789'), 0, 9);
    expect(ofText('12')).to.equal('12');
    copyText(text, Buffer.from('1.25e300'), 0, 8);
    expect(ofText('1.25')).to.equal('1.25');
  });

  it('prints every character, raw and escaped, in strings of every alignment', () => {
    const characters = allCharacters().filter((_, code) => code < 0x1000 || code % 61 === 0);
    for (let start = 0; start < characters.length; start += 100) {
      const value = 'x'.repeat(start % 7) + characters.slice(start, start + 100).join('');
      const printed = JSON.stringify(value);
      expect(ofText(printed)).to.equal(printed);
      const model: Model = { kind: 'string', value };
      for (const escapes of ['all', 'in capitals'] as const) {
        const spelled = spell(model, { space: '', comma: ',', colon: ':', escapes });
        expect(ofText(spelled)).to.equal(printed);
      }
    }
  });

  const numbers: Readonly<Record<string, string | null>> = {
    '0': '0',
    '-1': '-1',
    '-0': '0',
    '-0.0': '0',
    '0.0': '0',
    '1.50': '1.5',
    '100': '100',
    '0.000001': '0.000001',
    '0.0000012': '0.0000012',
    '0.0000001': '1e-7',
    '1e-7': '1e-7',
    '1E-7': '1e-7',
    '1e+21': '1e+21',
    '1e5': null,
    '12e-1': '1.2',
    '9007199254740992': '9007199254740992',
    '9007199254740993': null,
    '0.1234567890123456': '0.1234567890123456',
    '0.12345678901234567': null,
    '1e400': null,
    '1e-400': null,
    '123456789012345678901234567890': null,
    [`0.${'0'.repeat(100)}`]: null,
    '01': null,
    '-': null,
    '+1': null,
    '.5': null,
    '1.': null,
    '1.e1': null,
    '1e': null,
    '1e+': null,
    NaN: null,
    '0x1': null,
  };
  for (const [spelled, printed] of Object.entries(numbers))
    it(`${printed === null ? 'leaves to the parser' : `prints as ${printed}`}: ${spelled.slice(0, 40)}`, () => {
      expect(ofText(spelled)).to.equal(printed);
      expect(ofText(`[1 ,${spelled} , 2]`)).to.equal(printed === null ? null : `[1,${printed},2]`);
    });

  it('prints runs of every length before and behind an escape, and nothing that follows them', () => {
    for (const character of ['x', 'é', '€', '😀'])
      for (let length = 0; length <= 130; length += 1) {
        const run = character.repeat(length);
        for (const escape of [
          String.raw`\/`,
          String.raw`\u00e9`,
          String.raw`\ud83d\ude00`,
          '\\n',
        ]) {
          const json = `["${run}${escape}${run}" , "${run}"]`;
          expect(ofText(json), json).to.equal(JSON.stringify(JSON.parse(json)));
        }
      }
  });

  it('prints numbers of every length as JavaScript does, or leaves them to the parser', () => {
    const digits = '1234567890123456789'.repeat(3);
    for (let length = 1; length <= 45; length += 1)
      for (let point = 1; point <= length; point += 1)
        for (const start of ['', '-', '0.', '0.00000', '-0.000000']) {
          if (start.includes('.') && point < length) continue;
          const fraction = point === length ? '' : `.${digits.slice(point, length)}`;
          for (const end of ['', '0', 'e5', 'E-7', 'e+30']) {
            const json = `${start}${digits.slice(0, point)}${fraction}${end}`;
            const printed = ofText(json);
            if (printed !== null) expect(printed, json).to.equal(JSON.stringify(JSON.parse(json)));
            else expect(json).to.match(/e|(\d\.?){16}/i);
          }
        }
  });

  const left: readonly (readonly [string, string])[] = [
    ['a name twice', '{"a":1,"b":{"a":1},"a":2}'],
    ['a name twice, once with an escape', String.raw`{"a":1,"\u0061":2}`],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}'],
    ['an array index for a name', '{"a":1,"10":2}'],
    ['an array index in escapes', String.raw`{"a":1,"\u0031":2}`],
    ['a lone surrogate', String.raw`"\ud800"`],
    ['the second half of a pair alone', String.raw`"\udc00\ud800"`],
    ['half of a pair and another escape', String.raw`"\ud83d\u0041"`],
    ['101 levels', '['.repeat(101) + ']'.repeat(101)],
    ['257 names', `{${Array.from({ length: 257 }, (_, index) => `"n${index}":1`).join()}}`],
    ['a control character', '"a\u001fb"'],
    ['an unknown escape', String.raw`"\x"`],
    ['half an escape', String.raw`"\u12"`],
    ['another word', 'tru'],
    ['a comma too many', '[1,]'],
    ['a member too few', '{"a":1,}'],
    ['a name without quotes', '{a:1}'],
    ['no colon', '{"a" 1}'],
    ['no comma', '[1 2]'],
    ['the wrong bracket', '[1}'],
    ['nothing', ''],
    ['space before the value', ' 1'],
  ];
  for (const [what, json] of left)
    it(`leaves to the parser: ${what}`, () => expect(ofText(json)).to.equal(null));

  it('takes 100 levels, 256 names, and names that only look like indexes', () => {
    for (const json of [
      '['.repeat(100) + ']'.repeat(100),
      `{${Array.from({ length: 256 }, (_, index) => `"n${index}":1`).join()}}`,
      '{"__proto__":1,"1.5":2,"01a":3,"-1":4}',
    ])
      expect(ofText(json)).to.equal(json);
  });

  it('forgets the names of an object behind it', () => {
    const objects = Array.from({ length: 300 }, () => '{"a":{"b":1},"b":[]}').join();
    const wide = createText();
    copyText(wide, Buffer.from(`[${objects}]`), 0, objects.length + 2);
    begin(wide, 0);
    expect(compactValue(wide, 0, 1)).to.equal(objects.length + 2);
  });

  const notUtf8: Readonly<Record<string, readonly number[]>> = {
    'a byte of no character': [0xff],
    'the end of a character alone': [0x80],
    'the beginning of one alone': [0xc3],
    'two of three bytes': [0xe2, 0x82],
    'three of four bytes': [0xf0, 0x9f, 0x98],
    'a character in too many bytes': [0xc0, 0xaf],
    'a surrogate': [0xed, 0xa0, 0x80],
    'a character behind the last': [0xf4, 0x90, 0x80, 0x80],
  };
  for (const [what, bytes] of Object.entries(notUtf8))
    it(`takes no bytes that are not UTF-8: ${what}`, () => {
      const around = [Buffer.from('["ab'), Buffer.from(bytes), Buffer.from('c"]')];
      expect(compact(Buffer.concat(around))).to.equal(null);
    });

  it('copies no half of a character', () => {
    for (const character of ['é', '€', '😀']) {
      const source = Buffer.from(`"${character.repeat(9)}"`);
      for (let length = 0; length < source.length; length += 1) {
        expect(copyText(text, source, 0, length), `${length} bytes`).to.equal(true);
        expect(text.end).to.be.within(length - Buffer.byteLength(character) + 1, length);
      }
    }
  });
});
