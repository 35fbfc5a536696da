// Cursors that the server did not make, or made for somebody or something else: each is a 400 and shows nothing.
import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { addOrganisation, strangerKey } from '../support/other-organisation.js';
import { createExperiment, createProject } from '../support/objects.js';
import { openServer } from '../support/hosted-server.js';
import { outcome, type RequestOptions, type TestServer } from '../support/start-server.js';

const secretText = 'a secret of a private project';

/** What can be computed without the secret, over what the cursor is bound to. */
const seals: Readonly<Record<string, (payload: Buffer, scope: string) => Buffer>> = {
  'the digest of a former version': (payload, scope) =>
    createHash('sha256').update(scope).update(payload).digest().subarray(0, 9),
  'an HMAC with an empty key': (payload, scope) =>
    createHmac('sha256', '').update(scope).update(payload).digest().subarray(0, 16),
  zeros: () => Buffer.alloc(16),
  nothing: () => Buffer.alloc(0),
};

const newest = String(2n ** 63n - 1n);
const selectSecrets = "(SELECT max(input) FROM (SELECT unnest(['x']) AS input))";

/** Contents of cursors, from a place that could be true to what must never reach the engine. */
const payloads: Readonly<Record<string, string>> = {
  'a true place': JSON.stringify([newest, newest, 0, '~']),
  'SQL for a trace': JSON.stringify([newest, newest, 0, { parts: [selectSecrets] }]),
  'SQL for a position': JSON.stringify([newest, newest, { parts: [selectSecrets] }, '']),
  'SQL for a member': JSON.stringify([newest, newest, 0, '', { parts: [selectSecrets] }]),
  'an empty list': '[]',
  null: 'null',
  'an object': '{"version":"1"}',
  'no JSON': 'hello',
  'a number for a version': '[1,2,3,4]',
  'words for numbers': '["one","two",0,""]',
  'numbers beyond 64 bits': `["${'9'.repeat(40)}","${'9'.repeat(40)}",0,""]`,
  'an infinite position': `["${newest}","${newest}",1e999,""]`,
};

const sealed = (seal: string, name: string, scope: string) => {
  const payload = Buffer.from(payloads[name] ?? '');
  const bytes = Buffer.concat([seals[seal]?.(payload, scope) ?? payload, payload]);
  return [`${name} under ${seal}`, bytes.toString('base64url')] as const;
};

const forged = (scope: string) => [
  ...Object.keys(payloads).map((name) => sealed('the digest of a former version', name, scope)),
  ...Object.keys(seals).map((seal) => sealed(seal, 'a true place', scope)),
];

const odd = ['', '[]', 'hello', '%', 'null', '0', 'AAAA', '\u0000', 'é', 'A'.repeat(10_000)];

describe('cursors that were not given', () => {
  let dir: string;
  let server: TestServer;
  let shown: string;
  let others: string;

  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    const first = await openServer({ dir: dir });
    await first.stop();
    await addOrganisation(dir);
    server = await openServer({ dir: dir });
    const project = await createProject(server);
    shown = (await createExperiment(server, project.id, { name: 'shown', public: true })).id;
    others = (await createExperiment(server, project.id, { name: 'other', public: true })).id;
    const events = ['a', 'b', 'c'].map((id) => ({ id, root_span_id: id, input: `shown ${id}` }));
    for (const id of [shown, others]) await server.insert(`experiment/${id}`, events);
    await server.insert(`project_logs/${project.id}`, [{ input: secretText }]);
  });
  after(async () => {
    await server.stop();
    await rm(dir, { recursive: true });
  });

  const readers: readonly (readonly [string, RequestOptions])[] = [
    ['without a key', { key: null }],
    ['with the key of another organisation', { key: strangerKey }],
    ['with a key of the organisation', {}],
  ];

  const queryOf = (cursor: string) =>
    `select: id, input | from: experiment('${shown}') | limit: 1 | cursor: '${cursor}'`;

  const fetchOnce = (cursor: string, options: RequestOptions, id = shown) =>
    server.request('POST', `/v1/experiment/${id}/fetch`, { limit: 1, cursor }, options);

  const ask = (query: string, options: RequestOptions = {}) =>
    server.request('POST', '/query', { query }, options);

  const refusal = 'cursor: not a cursor of this object';
  const queryRefusal = 'query line 1, column 99: cursor: not a cursor of this query';

  for (const [who, options] of readers) {
    it(`are refused by a fetch ${who}`, async () => {
      const fetchPath = `/v1/experiment/${shown}/fetch`;
      for (const [name, cursor] of [
        ...forged(shown),
        ...odd.map((text) => [text, text] as const),
      ]) {
        expect(await outcome(fetchOnce(cursor, options)), name).to.deep.equal([400, refusal]);
        expect(
          await outcome(
            server.request(
              'GET',
              `${fetchPath}?cursor=${encodeURIComponent(cursor)}`,
              undefined,
              options,
            ),
          ),
          name,
        ).to.deep.equal([400, refusal]);
      }
    });

    if (options.key === undefined)
      it(`are refused by a query ${who}`, async () => {
        // A former version bound a cursor to the text of its query as it printed it.
        const printed = `select: id, input\nfrom: experiment('${shown}')`;
        for (const [name, cursor] of [
          ...forged(printed),
          ...odd.map((text) => [text, text] as const),
        ]) {
          expect(await outcome(ask(queryOf(cursor), options)), name).to.deep.equal([
            400,
            queryRefusal,
          ]);
        }
      });
  }

  it('are refused where they were given to somebody else', async () => {
    const pages = await Promise.all(
      readers.map(async ([, options]) => {
        const answer = await server.request(
          'GET',
          `/v1/experiment/${shown}/fetch?limit=1`,
          undefined,
          options,
        );
        return String(answer.json()['cursor']);
      }),
    );
    for (const [from, cursor] of pages.entries())
      for (const [to, [, options]] of readers.entries()) {
        const answer = await fetchOnce(cursor, options);
        // A key of another organisation reads as a request without a key.
        const isSame = (readers[from]![1].key === undefined) === (options.key === undefined);
        expect(answer.status, `${from} to ${to}`).to.equal(isSame ? 200 : 400);
        if (!isSame) expect(answer.text).to.equal(refusal);
      }
  });

  it('are refused for another object, for a query, and with any bit changed', async () => {
    const page = await server.request('GET', `/v1/experiment/${shown}/fetch?limit=1`);
    const cursor = String(page.json()['cursor']);
    expect((await fetchOnce(cursor, {}, others)).text).to.equal(refusal);
    expect(await outcome(ask(queryOf(cursor)))).to.deep.equal([400, queryRefusal]);
    const bytes = Buffer.from(cursor, 'base64url');
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index]! ^= 1;
      expect(
        await outcome(fetchOnce(changed.toString('base64url'), {})),
        `byte ${index}`,
      ).to.deep.equal([400, refusal]);
    }
    for (const text of [`${cursor}=`, `${cursor} `, `!${cursor}`])
      expect((await fetchOnce(text, {})).text, text).to.equal(refusal);
  });

  it('of a query are refused with another filter or source, or another organisation’s key', async () => {
    const text = `select: id | from: experiment('${shown}') | limit: 1`;
    const clause = ` | cursor: '${String((await ask(text)).json()['cursor'])}'`;
    expect((await ask(text + clause)).status).to.equal(200);
    for (const query of [
      `${text} | filter: id != 'a'${clause}`,
      text.replace(shown, others) + clause,
    ]) {
      const answer = await ask(query);
      expect([
        answer.status,
        answer.text.endsWith('cursor: not a cursor of this query'),
      ]).to.deep.equal([400, true]);
    }
    const { status, text: words } = await ask(text + clause, { key: strangerKey });
    expect([status, words.includes(`no experiment with the id "${shown}"`)]).to.deep.equal([
      400,
      true,
    ]);
  });

  it('stay good after a restart, and their secret is never logged', async () => {
    const { cursor } = await server.get(`/v1/experiment/${shown}/fetch?limit=1`);
    const before = (await fetchOnce(String(cursor), {})).json();
    const log = server.log();
    await server.stop();
    server = await openServer({ dir: dir });
    expect((await fetchOnce(String(cursor), {})).json()).to.deep.equal(before);
    expect(log).not.to.match(/cursor_?secret/i);
  });
});
