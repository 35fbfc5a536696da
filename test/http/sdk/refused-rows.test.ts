// POST /logs3: a row that cannot be stored leaves the others alone, and the answer and the log name it.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { limits } from '../../../src/schema/limits.js';
import { createExperiment, createProject } from '../../support/objects.js';
import { outcome, sharedServer, type Json } from '../../support/start-server.js';

const tags = (from: number) => Array.from({ length: 600 }, (_, tag) => `${from + tag}`);

describe('rows of the SDKs that cannot be stored', () => {
  const server = sharedServer();
  let project_id: string;
  let experiment_id: string;

  before(async () => {
    project_id = (await createProject(server())).id;
  });
  beforeEach(async () => {
    experiment_id = (await createExperiment(server(), project_id)).id;
  });

  const send = (body: unknown) => server().request('POST', '/logs3', body);

  const read = async (what: 'fetch' | 'feedback') =>
    (await server().get(`/v1/experiment/${experiment_id}/${what}`)) as Readonly<
      Record<string, readonly Json[]>
    >;

  const nobody = randomUUID();

  /** What is said about each row, when good ones surround it. */
  async function refused(...bad: readonly unknown[]): Promise<readonly unknown[]> {
    const answer = await send({
      rows: [{ id: 'first', experiment_id }, ...bad, { id: 'last', experiment_id }],
    });
    const { ids, errors } = answer.json() as { ids: readonly string[]; errors: readonly Json[] };
    expect(ids).to.deep.equal(['first', 'last']);
    expect(new Set((await read('fetch'))['events']!.map(({ id }) => id))).to.deep.equal(
      new Set(ids),
    );
    expect(errors.map(({ index }) => index)).to.deep.equal(bad.map((_, index) => index + 1));
    return errors.map(({ message }) => message);
  }

  const cases: readonly (readonly [string, () => unknown, () => string])[] = [
    ['what is no object', () => 7, () => 'rows[1]: expected an object, got 7'],
    [
      'a row of no object',
      () => ({ id: 'x' }),
      () => 'rows[1]: expected one of experiment_id, dataset_id, project_id',
    ],
    [
      'a row of a playground',
      () => ({ prompt_session_id: nobody, project_id, log_id: 'x' }),
      () => 'rows[1]: rows of playgrounds are not stored',
    ],
    [
      'an id that is no UUID',
      () => ({ experiment_id: 'x'.repeat(200) }),
      () => `rows[1].experiment_id: expected a UUID, got "${'x'.repeat(99)}…`,
    ],
    [
      'an object that is not there',
      () => ({ dataset_id: nobody }),
      () => `rows[1]: no dataset with the id "${nobody}" that this key may use`,
    ],
    [
      'rows of prompts',
      () => ({ project_id, log_id: 'p' }),
      () => 'rows[1].log_id: expected "g", got "p"',
    ],
    [
      'a score that is no number',
      () => ({ experiment_id, scores: { good: 'high' } }),
      () => 'rows[1].scores.good: expected a finite number or null, got "high"',
    ],
    [
      'metadata that is no object',
      () => ({ experiment_id, metadata: 1 }),
      () => 'rows[1].metadata: expected an object or null, got 1',
    ],
    [
      'an unknown parent',
      () => ({ id: 'x', experiment_id, _parent_id: 'nobody' }),
      () => 'rows[1]._parent_id: no row has the id "nobody"',
    ],
    [
      'a comment on nothing',
      () => ({ id: 'x', experiment_id, comment: { text: 'x' } }),
      () => 'rows[1].origin: expected an object with the id of an event, got null',
    ],
    [
      'a comment without an id',
      () => ({ experiment_id, comment: 'x', origin: { id: 'e' } }),
      () => 'rows[1].id: expected a string, got null',
    ],
    [
      'a comment that is no text',
      () => ({ id: 'x', experiment_id, comment: 7, origin: { id: 'e' } }),
      () => 'rows[1].comment: expected a string or an object with the string text, got 7',
    ],
    [
      'a source that is no text',
      () => ({ id: 'x', experiment_id, scores: { s: 1 }, _audit_source: 7 }),
      () => 'rows[1]._audit_source: expected a string or null, got 7',
    ],
    [
      'audit metadata that is no object',
      () => ({
        id: 'x',
        experiment_id,
        scores: { s: 1 },
        _audit_source: 'app',
        _audit_metadata: 7,
      }),
      () => 'rows[1]._audit_metadata: expected an object or null, got 7',
    ],
    [
      'deletions that are no array',
      () => ({ experiment_id, _array_delete: 7 }),
      () => 'rows[1]._array_delete: expected an array or null, got 7',
    ],
    [
      'deletions without a path',
      () => ({ experiment_id, _array_delete: [{ delete: [] }] }),
      () =>
        'rows[1]._array_delete[0]: expected an object with the arrays path and delete, got {"delete":[]}',
    ],
  ];
  for (const [what, bad, text] of cases)
    it(`leave the others alone: ${what}`, async () => {
      expect(await refused(bad())).to.deep.equal([text()]);
    });

  it('leave the others alone: tags of which a merge makes too many', async () => {
    await send({ rows: [{ id: 'first', experiment_id, tags: tags(0) }] });
    const merge = { id: 'first', experiment_id, _is_merge: true };
    const answer = await send({
      rows: [
        { id: 'last', experiment_id },
        { ...merge, tags: tags(600) },
        { ...merge, tags: tags(400) },
      ],
    });
    const { errors } = answer.json() as { errors: readonly Json[] };
    expect(errors).to.deep.equal([
      {
        index: 1,
        id: 'first',
        message: 'rows[1].tags: expected at most 1000 elements, got 1200 after the merge',
      },
    ]);
    const stored = (await read('fetch'))['events']!.find(({ id }) => id === 'first');
    expect(stored?.['tags']).to.deep.equal([...tags(0), ...tags(400).slice(200)]);
  });

  it('have no id in the answer that the request lacks, also if they are refused late', async () => {
    const input = Array.from({ length: limits.attachments.max + 1 }, (_, index) => ({
      type: 'braintrust_attachment',
      key: `many-${index}`,
      filename: 'f',
      content_type: 'text/plain',
    }));
    const answer = await send({
      rows: [
        { id: 'first', experiment_id },
        { experiment_id, input },
      ],
    });
    expect(answer.json()['errors']).to.deep.equal([
      {
        index: 1,
        id: null,
        message: `rows[1]: with its attachments, the request names more than ${limits.attachments.max}`,
      },
    ]);
  });

  it('take their descendants and their feedback with them', async () => {
    const orphan = {
      id: 'child',
      experiment_id,
      _parent_id: 'nobody',
      scores: { s: 1 },
      _audit_source: 'app',
    };
    const messages = await refused(orphan, {
      id: 'grandchild',
      experiment_id,
      _parent_id: 'child',
    });
    expect(messages).to.deep.equal([
      'rows[1]._parent_id: no row has the id "nobody"',
      'rows[2]._parent_id: no row has the id "child"',
    ]);
    expect((await read('feedback'))['audit']).to.deep.equal([]);
  });

  it('leave rows alone that build on a stored row with their id', async () => {
    const stored = { experiment_id, span_id: 's', root_span_id: 'r', input: 1, tags: ['t'] };
    await send({
      rows: [
        { ...stored, id: 'x' },
        { ...stored, id: 'y' },
      ],
    });
    const orphan = { experiment_id, _parent_id: 'nobody' };
    const child = (id: string, _parent_id: string) => ({ id, experiment_id, _parent_id });
    const answer = await send({
      rows: [
        { ...orphan, id: 'x' },
        child('child', 'x'),
        child('grandchild', 'child'),
        { ...orphan, id: 'y' },
        { id: 'y', experiment_id, _is_merge: true, output: 2 },
        { ...orphan, id: 'new' },
        child('lost', 'new'),
        child('lost, too', 'lost'),
        { id: 'x', experiment_id, _object_delete: true },
        child('late', 'x'),
      ],
    });
    const { ids, errors } = answer.json() as { ids: readonly string[]; errors: readonly Json[] };
    expect(ids).to.deep.equal(['child', 'grandchild', 'y', 'x']);
    expect(errors.map(({ index, message }) => [index, message])).to.deep.equal(
      [
        [0, 'nobody'],
        [3, 'nobody'],
        [5, 'nobody'],
        [6, 'new'],
        [7, 'lost'],
        [9, 'x'],
      ].map(([index, id]) => [index, `rows[${index}]._parent_id: no row has the id "${id}"`]),
    );
    const events = (await read('fetch'))['events']!;
    const found = (id: string) => events.find((event) => event['id'] === id)!;
    expect(found('child')).to.deep.include({ root_span_id: 'r', span_parents: ['s'] });
    expect(found('grandchild')).to.deep.include({
      root_span_id: 'r',
      span_parents: [found('child')['span_id']],
    });
    expect(found('y')).to.deep.include({ span_id: 's', input: 1, output: 2, tags: ['t'] });
  });

  it('are named in the log, without their values', async () => {
    const secret = 'secret';
    for (const [row, first] of [
      [{ experiment_id, scores: { secret } }, 'rows[1].scores'],
      [{ experiment_id, _parent_id: secret }, 'rows[1]._parent_id'],
      [secret, 'rows[1]'],
    ] as const) {
      await refused(row);
      expect(server().log()).to.include(
        `"stored":2,"refused":1,"first":"${first}","msg":"rows of /logs3 were refused"`,
      );
    }
    expect(server().log()).not.to.include(secret);
  });

  it('are named by the beginning of long names and ids', async () => {
    const long = 'x'.repeat(200);
    expect(
      await refused(
        { experiment_id, scores: { [long]: 'a' } },
        { experiment_id, scores: { [` ${long}`]: 'a' } },
        { experiment_id, _parent_id: long },
      ),
    ).to.deep.equal([
      `rows[1].scores.${long.slice(0, 100)}…: expected a finite number or null, got "a"`,
      `rows[2].scores[" ${long.slice(0, 98)}…]: expected a finite number or null, got "a"`,
      `rows[3]._parent_id: no row has the id "${long.slice(0, 99)}…`,
    ]);
  });

  it('are an error when all of them are', async () => {
    expect(await outcome(send({ rows: [{ id: 'a' }, { id: 'b' }] }))).to.deep.equal([
      400,
      'rows[0]: expected one of experiment_id, dataset_id, project_id',
    ]);
  });

  it('are an error that quotes the first row when all of them are, for reasons that are found in another order', async () => {
    const rows = [{ id: 'a', experiment_id, _parent_id: 'nobody' }, { id: 'b' }];
    expect(await outcome(send({ rows }))).to.deep.equal([
      400,
      'rows[0]._parent_id: no row has the id "nobody"',
    ]);
  });

  it('refuse the whole body with too much around the rows', async () => {
    expect(await outcome(send(`{"rows":[],"a":"${'x'.repeat(2 ** 24)}"}`))).to.deep.equal([
      400,
      'request body: expected the field rows near the start, and at most 16 MB of other fields',
    ]);
  });
});
