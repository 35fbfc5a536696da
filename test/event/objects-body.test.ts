// The body of an insert into several objects.
import { expect } from 'chai';
import { decodePartsInSteps, objectParts } from '../../src/event/objects-body.js';
import { longestParsed } from '../support/longest-parsed.js';

function decode(text: string): readonly (readonly [string, readonly string[]])[] {
  const bytes = Buffer.from(text);
  const parts = objectParts(bytes);
  const decoded = [...decodePartsInSteps(bytes, parts, { textBytesMax: 2 ** 20 })].flat();
  return parts.map(({ kind, id }, index) => [
    `${kind}.${id}`,
    decoded.flatMap(({ part, event }) => (part === index ? [event.id] : [])),
  ]);
}

const kinds = '{"dataset":{"a":{"events":[]}},';
const objects = '{"dataset":{"a":{"events":[]},';

const wrong: Readonly<Record<string, readonly [string, string]>> = {
  nothing: [' ', 'request body: expected an object, got nothing'],
  'no object': ['[1]', 'request body: expected an object, got an array'],
  'no object of a kind': ['{"dataset":"x"}', 'dataset: expected an object or null, got "x"'],
  'a list for a kind': ['{"dataset":[1]}', 'dataset: expected an object or null, got an array'],
  'another kind': [`${kinds}"x":1}`, 'unknown field "x" in the request body'],
  'a kind twice': [
    `${kinds}"dataset":{}}`,
    'request body: the field "dataset" occurs more than once',
  ],
  'an object twice': [
    `${objects}"a":{"events":[1]}}}`,
    'dataset: the field "a" occurs more than once',
  ],
  'no object for an object': [`${objects}"b":7}}`, 'dataset.b: expected an object, got 7'],
  'no events': [`${objects}"b":{}}}`, 'dataset.b: the field events is missing'],
  'events twice': [
    `${objects}"b":{"events":[],"events":[]}}}`,
    'dataset.b: the field events occurs more than once',
  ],
  'events that are no list': [
    `${objects}"b":{"events":{}}}}`,
    'dataset.b.events: expected an array, got {}',
  ],
  'another field before events': [
    `${objects}"b":{"x":1,"events":[]}}}`,
    'dataset.b: unknown field "x"',
  ],
  'another field behind events': [
    `${objects}"b":{"events":[],"x":1}}}`,
    'dataset.b: unknown field "x"',
  ],
  'a bad event': [
    `${objects}"b":{"events":[{},{"id":1}]}}}`,
    'dataset.b.events[1].id: expected a non-empty string or null, got 1',
  ],
  'an event that is no JSON': [
    `${objects}\n"b":{"events":[{"id":x}]}}}`,
    'request body is not valid JSON at line 2, column 22: invalid symbol',
  ],
  'more behind an object': [
    `${objects}"b":{"events":[]} 1}}`,
    'request body is not valid JSON at line 1, column 49: end of file expected',
  ],
  'more behind the body': [
    '{"dataset":{}} 1',
    'request body is not valid JSON at line 1, column 16: end of file expected',
  ],
  'no end': [
    '{"dataset":{}',
    'request body is not valid JSON at line 1, column 14: comma expected',
  ],
};

describe('event/objects-body', () => {
  it('finds the events of each object, in order', () => {
    expect(
      decode(String.raw`
        { "dataset" : null , "project_logs": {"b": { "events" :[ {"id":"1"} , {"id":"2"}] } ,
          "a" : {"events":[]} }, "experiment":{"\u0063\n":{"\u0065vents":[{"id":"3"}]}}}
      `),
    ).to.deep.equal([
      ['project_logs.b', ['1', '2']],
      ['project_logs.a', []],
      ['experiment.c\n', ['3']],
    ]);
    expect(decode('{}')).to.deep.equal([]);
  });

  for (const [name, [text, message]] of Object.entries(wrong))
    it(`refuses a body with ${name}`, () => {
      expect(() => decode(text)).to.throw(message);
    });

  it('does not parse events to find them', async () => {
    const bytes = Buffer.from(`{"dataset":{"a":{"events":[${'1,'.repeat(1000)}1]}}}`);
    expect(await longestParsed(() => objectParts(bytes))).to.be.below(20);
  });
});
