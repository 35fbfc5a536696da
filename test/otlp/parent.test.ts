import { expect } from 'chai';
import { parentOf } from '../../src/otlp/parent.js';
import { spanId, traceId } from './spans.js';
import { slugOf, slugOfVersion2 } from './slugs.js';

const uuid = '5b8efff7-9803-8103-d269-b633813fc60c';
const other = '11111111-2222-3333-4444-555555555555';

const source = 'the header x-bt-parent';

const parsed = (text: string) => {
  const { source: from, ...parent } = parentOf(text, source);
  expect(from).to.equal(source);
  return parent;
};

const inExperiment = { kind: 'experiment', by: 'id', value: uuid } as const;
const inProject = { kind: 'project_logs', by: 'id', value: uuid } as const;
const inNamed = { kind: 'project_logs', by: 'name', value: 'shop' } as const;

const cut = (slug: string, bytes: number) =>
  Buffer.from(slug, 'base64').subarray(0, bytes).toString('base64');

describe('parent of spans', () => {
  const named = {
    [`project_id:${uuid}`]: inProject,
    'project_name:shop': inNamed,
    'project_name:a:b, c': { ...inNamed, value: 'a:b, c' },
    [`experiment_id:${uuid}`]: inExperiment,
  };
  for (const [text, parent] of Object.entries(named))
    it(`is ${text}`, () => {
      expect(parsed(text)).to.deep.equal({ ...parent, span: null });
    });

  const hexSpan = { spanId, rootSpanId: traceId };
  const uuidSpan = { spanId: other, rootSpanId: uuid };
  const args = { compute_object_metadata_args: { project_name: 'shop' } };

  const slugs: Readonly<Record<string, readonly [string, object]>> = {
    'version 4 with hex ids': [
      slugOf(
        4,
        1,
        [
          [3, spanId],
          [4, traceId],
        ],
        { object_id: uuid, row_id: spanId },
      ),
      { ...inExperiment, span: hexSpan },
    ],
    'version 4 with binary ids of object and row': [
      slugOf(4, 2, [
        [1, uuid],
        [2, other],
        [3, spanId],
        [4, traceId],
      ]),
      { ...inProject, span: hexSpan },
    ],
    'version 4 before the project is known': [
      slugOf(
        4,
        2,
        [
          [3, spanId],
          [4, traceId],
        ],
        { ...args, row_id: 'r' },
      ),
      { ...inNamed, span: hexSpan },
    ],
    'version 4 with the id of the project in its arguments': [
      slugOf(4, 2, [], { compute_object_metadata_args: { project_id: uuid, project_name: 'x' } }),
      { ...inProject, span: null },
    ],
    'version 3 with UUIDs': [
      slugOf(3, 1, [
        [1, uuid],
        [2, other],
        [3, other],
        [4, uuid],
      ]),
      { ...inExperiment, span: uuidSpan },
    ],
    'version 3 with ids of another form': [
      slugOf(3, 2, [[1, uuid]], { row_id: 'r', span_id: spanId, root_span_id: traceId }),
      { ...inProject, span: hexSpan },
    ],
    'version 3 of an object alone': [slugOf(3, 2, [[1, uuid]]), { ...inProject, span: null }],
    'version 3 before the project is known': [
      slugOf(3, 2, [], { ...args, propagated_event: { metadata: {} } }),
      { ...inNamed, span: null },
    ],
    'version 2': [
      slugOfVersion2(1, { objectId: uuid, spanId: other, rootSpanId: uuid }),
      { ...inExperiment, span: uuidSpan },
    ],
    'version 2 before the project is known': [
      slugOfVersion2(2, {
        objectArguments: { project_name: 'shop' },
        spanId: other,
        rootSpanId: uuid,
      }),
      { ...inNamed, span: uuidSpan },
    ],
  };
  for (const [name, [slug, parent]] of Object.entries(slugs))
    it(`is a span exported in ${name}`, () => {
      expect(parsed(slug)).to.deep.equal(parent);
    });

  const wrong: Readonly<Record<string, string>> = {
    'an empty text': '',
    'an id without a form': uuid,
    'an empty name': 'project_name:',
    'another form': 'experiment_name:e',
    'no base64': '***',
    'a slug of an unknown version': slugOf(3, 1, [[1, uuid]]).replace(/^Aw/, 'BQ'),
    'a slug of version 1': slugOf(3, 1, [[1, uuid]]).replace(/^Aw/, 'AQ'),
    'a slug of a playground': slugOf(3, 3, [[1, uuid]]),
    'a slug that is cut off': cut(slugOf(3, 1, [[1, uuid]]), 12),
    'a slug of version 2 that is cut off': cut(slugOfVersion2(2, { objectId: uuid }), 9),
    'a slug of version 2 with a huge length': Buffer.from([
      2, 2, 0, 1, 0, 0, 255, 255, 255, 255,
    ]).toString('base64'),
    'a slug that is too long': slugOf(3, 1, [[1, uuid]], { other: 'x'.repeat(2 ** 16) }),
    'a slug of one byte': 'Aw==',
    'a slug with a field that is not known': slugOf(3, 1, [[9, uuid]]),
    'a slug with JSON that is broken': `${cut(
      slugOf(3, 1, [
        [1, uuid],
        [2, uuid],
      ]),
      36,
    ).slice(0, -4)}e30p`,
    'a slug whose rest is no object': slugOf(3, 1, [[1, uuid]], []),
    'a slug whose ids are no texts': slugOf(3, 1, [], { object_id: 5 }),
    'a slug without an object': slugOf(3, 1, [
      [3, other],
      [4, uuid],
    ]),
    'a slug with half of a span': slugOf(3, 1, [
      [1, uuid],
      [3, other],
    ]),
    'a slug of an experiment that is not known yet': slugOf(3, 1, [], args),
    'a slug whose arguments name nothing': slugOf(3, 2, [], {
      compute_object_metadata_args: { project_name: 5 },
    }),
    'a slug whose arguments are no object': slugOf(3, 2, [], {
      compute_object_metadata_args: 'shop',
    }),
  };
  for (const [name, text] of Object.entries(wrong))
    it(`is not ${name}`, () => {
      expect(() => parentOf(text, source)).to.throw(
        `${source}: expected project_id:<id>, project_name:<name>, experiment_id:<id> or an exported span, got "`,
      );
    });
});
