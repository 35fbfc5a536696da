// What is wrong with a request is refused with the right status, in one sentence that names the field, the value and
// the place, and nothing of it is stored.
import { expect } from 'chai';
import { call, literal } from '../../query/json-nodes.js';
import { sharedServer } from '../../support/start-server.js';
import { makeOwnWorld, type OwnWorld } from '../access/world.js';
import { nobody } from '../access/asking.js';
import { filled, oneLess, rows, type Row } from './rows.js';

const titleOf = ({ file, method, path, body = '' }: Row): string =>
  `${file}: ${method} ${path} ${body}`.slice(0, 150);

describe('what is refused', () => {
  const server = sharedServer({ environment: { EVALSTORE_BODY_LIMIT_MB: '5' } });
  let ids: Readonly<Record<string, string>>;
  let stored: readonly string[];

  /** All that rows could change. */
  async function state({ objects }: OwnWorld): Promise<readonly string[]> {
    const { project, experiment, dataset, prompt } = objects;
    const kinds =
      'project experiment dataset dataset_snapshot prompt function role group acl/list_org user organization';
    const holding = [`project_logs/${project}`, `experiment/${experiment}`, `dataset/${dataset}`];
    const paths = [
      ...kinds.split(' '),
      ...holding.map((path) => `${path}/fetch`),
      ...[...holding, `prompt/${prompt}`].map((path) => `${path}/feedback`),
    ];
    const answers = paths.map((path) => server().request('GET', `/v1/${path}`));
    return (await Promise.all(answers)).map(({ status, text }) => `${status} ${text}`);
  }

  let world: OwnWorld;

  before(async () => {
    world = await makeOwnWorld(server());
    const gone = [{ id: 'gone' }, { id: 'gone', _object_delete: true }];
    const { project, experiment, dataset } = world.objects;
    for (const path of [
      `project_logs/${project}`,
      `experiment/${experiment}`,
      `dataset/${dataset}`,
    ])
      for (const event of gone) await server().insert(path, [event]);
    const deleted = await world.make('/v1/experiment', { project_id: project, name: 'deleted' });
    await server().request('DELETE', `/v1/experiment/${deleted['id']}`);
    ids = {
      ...world.objects,
      nobody,
      deleted: deleted['id']!,
      star: '[{"op":"star"}]',
      source: JSON.stringify(call('experiment', literal(experiment))),
    };
    stored = await state(world);
  });

  const ask = async ({ method, path, body, headers }: Row) => {
    const { Authorization, ...others } = headers;
    const answer = await server().request(
      method,
      filled(path, ids),
      body === undefined ? undefined : filled(body, ids),
      Authorization === undefined
        ? { headers: others }
        : { headers: Authorization === 'none' ? others : headers, key: null },
    );
    return [answer.status, answer.text, answer.headers.get('content-type')];
  };

  for (const row of rows) {
    const { status, sentence } = row;
    it(titleOf(row), async () => {
      const plain = 'text/plain; charset=utf-8';
      expect(await ask(row)).to.deep.equal([status, filled(sentence, ids), plain]);
    });
  }

  it('stores and changes nothing', async () => {
    expect(await state(world)).to.deep.equal(stored);
  });

  describe('what is just within a limit', () => {
    for (const row of rows.filter(({ file }) => file === 'limits.txt'))
      it(titleOf(row), async () => {
        const [, sentence] = await ask({
          ...row,
          path: oneLess(row.path),
          body: row.body && oneLess(row.body),
        });
        expect(sentence).not.to.equal(filled(row.sentence, ids));
      });
  });
});
