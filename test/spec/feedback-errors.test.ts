// Feedback that is refused, for every kind: nothing of it is applied.
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { feedbackClient } from '../support/feedback.js';
import { createDataset, createExperiment, createNamed, createProject } from '../support/objects.js';
import { outcome, sharedServer, type RequestOptions } from '../support/start-server.js';

describe('feedback', () => {
  const server = sharedServer({ environment: { EVALSTORE_BODY_LIMIT_MB: '1' } });
  const { post, write, listed } = feedbackClient(server);
  let projectId: string;

  before(async () => {
    projectId = (await createProject(server())).id;
  });

  describe('refuses', () => {
    const kinds = ['project_logs', 'experiment', 'dataset', 'prompt'] as const;
    const ids = new Map<string, string>();

    before(async () => {
      const events = { events: [{ id: 'e' }, { id: 'gone' }] };
      ids.set('project_logs', projectId);
      ids.set('experiment', (await createExperiment(server(), projectId)).id);
      ids.set('dataset', (await createDataset(server(), { project_id: projectId })).id);
      const slug = randomUUID();
      const prompt = await createNamed(server(), 'prompt', { project_id: projectId, slug });
      ids.set('prompt', prompt.id);
      for (const kind of kinds.slice(0, 3)) {
        await write(`/v1/${kind}/${ids.get(kind)!}/insert`, events);
        await write(`/v1/${kind}/${ids.get(kind)!}/insert`, {
          events: [{ id: 'gone', _object_delete: true }],
        });
      }
    });

    for (const kind of kinds) {
      const path = () => `/v1/${kind}/${ids.get(kind)!}/feedback`;
      const about = () => (kind === 'prompt' ? ids.get(kind)! : 'e');
      const isSpan = kind === 'project_logs' || kind === 'experiment';
      const fields = isSpan ? 'scores, expected, tags, comment' : 'tags, comment';

      it(`items of ${kind} that are not as they should be, and applies nothing`, async () => {
        const rows: readonly (readonly [unknown, string])[] = [
          [{}, 'field "id" is missing in feedback[1]'],
          [{ id: '' }, 'feedback[1].id: expected a non-empty string, got ""'],
          [{ id: 7 }, 'feedback[1].id: expected a non-empty string, got 7'],
          [{ id: about() }, `feedback[1]: expected at least one of ${fields}`],
          [
            { id: about(), comment: null, metadata: { a: 1 }, source: 's' },
            `feedback[1]: expected at least one of ${fields}`,
          ],
          [{ id: about(), comment: 1 }, 'feedback[1].comment: expected a string or null, got 1'],
          [
            { id: about(), comment: 'c', metadata: [] },
            'feedback[1].metadata: expected an object or null, got an array',
          ],
          [
            { id: about(), comment: 'c', source: 1 },
            'feedback[1].source: expected a string or null, got 1',
          ],
          [{ id: about(), tags: 'x' }, 'feedback[1].tags: expected an array or null, got "x"'],
          [{ id: about(), tags: [1] }, 'feedback[1].tags[0]: expected a string, got 1'],
          [{ id: about(), input: 1 }, 'unknown field "input" in feedback[1]'],
          ['x', 'feedback[1]: expected an object, got "x"'],
          ...(isSpan
            ? ([
                [
                  { id: 'e', scores: { s: 'x' } },
                  'feedback[1].scores.s: expected a number, true, false or null, got "x"',
                ],
                [
                  { id: 'e', scores: { 's\u2028': 'x' } },
                  'feedback[1].scores.s\u2028: expected a number, true, false or null, got "x"',
                ],
                [{ id: 'e', scores: 1 }, 'feedback[1].scores: expected an object or null, got 1'],
              ] as const)
            : ([
                [{ id: about(), scores: {} }, 'unknown field "scores" in feedback[1]'],
                [{ id: about(), expected: 1 }, 'unknown field "expected" in feedback[1]'],
              ] as const)),
          ...(kind === 'prompt'
            ? ([
                [
                  { id: 'e', comment: 'c' },
                  `feedback[1].id: expected the id of the prompt, "${about()}", got "e"`,
                ],
              ] as const)
            : ([
                [{ id: 'nobody', comment: 'c' }, 'feedback[1].id: no row has the id "nobody"'],
                [{ id: 'nobody', tags: [] }, 'feedback[1].id: no row has the id "nobody"'],
                [{ id: 'gone', comment: 'c' }, 'feedback[1].id: no row has the id "gone"'],
              ] as const)),
        ];
        for (const [item, text] of rows)
          expect(
            await post(path(), { feedback: [{ id: about(), comment: 'first', tags: [] }, item] }),
          ).to.deep.equal([400, text]);
        expect(await listed(ids.get(kind)!, '', kind)).to.deep.equal({ comments: [], audit: [] });
      });

      it(`other bodies and parameters of ${kind}`, async () => {
        const rows: readonly (readonly [unknown, string])[] = [
          [undefined, 'request body: expected an object, got nothing'],
          [
            '{"feedback":[',
            'request body is not valid JSON at line 1, column 14: close bracket expected',
          ],
          [[], 'request body: expected an object, got an array'],
          [{}, 'field "feedback" is missing in the request body'],
          [{ feedback: {} }, 'feedback: expected an array, got an object'],
          [{ feedback: null }, 'feedback: expected an array, got null'],
          [{ feedback: [], more: 1 }, 'unknown field "more" in the request body'],
        ];
        for (const [body, text] of rows)
          expect(await post(path(), body)).to.deep.equal([400, text]);
        expect(await post(path(), 'x'.repeat(2 ** 20 + 1))).to.deep.equal([
          413,
          'the request body is larger than the limit of 1 MB',
        ]);
        expect(await post(`${path()}?x=1`, { feedback: [] })).to.deep.equal([
          400,
          'unknown query parameter "x"',
        ]);
        expect(await post(path(), { feedback: [] })).to.deep.equal([200, '{"status":"success"}']);
        expect((await post(path(), { feedback: [] }, { key: null }))[0]).to.equal(401);
        const read = async (parameters: string, options?: RequestOptions) => {
          const target = path() + parameters;
          const answer = await server().request('GET', target, undefined, options);
          return [answer.status, answer.text];
        };
        expect(await read('?version=latest')).to.deep.equal([
          400,
          'version: expected a transaction id of 19 digits or its short form of 16 hex digits, got "latest"',
        ]);
        expect(await read('?limit=1')).to.deep.equal([400, 'unknown query parameter "limit"']);
        expect((await read('', { key: null }))[0]).to.equal(401);
      });

      it(`an absent ${kind}`, async () => {
        const other = randomUUID();
        const named = kind === 'project_logs' ? 'project' : kind;
        const refusal = [403, `no ${named} with the id "${other}" that this key may use`];
        const target = `/v1/${kind}/${other}/feedback`;
        expect(await post(target, { feedback: [] })).to.deep.equal(refusal);
        expect(await outcome(server().request('GET', target))).to.deep.equal(refusal);
        expect((await post(`/v1/${kind}/x/feedback`, { feedback: [] }))[0]).to.equal(400);
      });
    }
  });
});
