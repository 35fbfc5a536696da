// Export requests that are larger, more, or of another organisation than they may be.
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { attributes, exportOf, span } from '../otlp/spans.js';
import { createProject, listObjects } from '../support/objects.js';
import { addOrganisation, strangerKey } from '../support/other-organisation.js';
import { inParent, json, postSpans, protobuf, protobufOf, textOf } from '../support/post-spans.js';
import { openServer } from '../support/hosted-server.js';
import { sharedServer, startServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const spans = (count: number) =>
  Array.from({ length: count }, (_, n) => span({ spanId: String(n + 1).padStart(16, '0') }));

/** Each byte becomes six characters of JSON. */
const texts = (length: number) => ({ 'gen_ai.prompt': '\u0001'.repeat(length) });

describe('OpenTelemetry spans beyond the limits', () => {
  const server = sharedServer({
    environment: {
      EVALSTORE_BODY_LIMIT_MB: '2',
      EVALSTORE_BODIES_MEMORY_MB: '8',
      EVALSTORE_WRITER_MEMORY_MB: '128',
      EVALSTORE_MAINTENANCE_MEMORY_MB: '16',
    },
  });
  let headers: Readonly<Record<string, string>>;

  before(async () => {
    const { id } = await createProject(server());
    headers = { 'Content-Type': json, 'x-bt-parent': `project_id:${id}` };
  });

  const send = async (body: string | Uint8Array, more: Readonly<Record<string, string>> = {}) => {
    const answer = await postSpans(server(), body, { headers: { ...headers, ...more } });
    return [answer.status, textOf(answer)];
  };

  it('are refused by their size, also unpacked', async () => {
    const refused = [413, 'the request body is larger than the limit of 2 MB'];
    const large = Buffer.alloc(3 * 2 ** 20, ' ');
    expect(await send(large)).to.deep.equal(refused);
    for (const type of [json, protobuf]) {
      const bomb = { 'Content-Encoding': 'gzip', 'Content-Type': type };
      expect(await send(gzipSync(large), bomb)).to.deep.equal(refused);
    }
  });

  it('are refused when their resources, stored with each of them, are too large', async () => {
    const resource = { attributes: attributes({ a: 'x'.repeat(2 ** 19) }) };
    expect(await send(JSON.stringify(exportOf(spans(20), resource)))).to.deep.equal([
      413,
      'the resources and scopes of all spans together are larger than the limit of 2 MB',
    ]);
    expect(await send(JSON.stringify(exportOf(spans(2), resource)))).to.deep.equal([200, '{}']);
  });

  it('are refused when their events are too large, also if the body is not', async () => {
    const ids = spans(5).map(({ spanId }) => spanId as string);
    const type = { 'Content-Type': protobuf };
    expect(await send(protobufOf(ids, texts(160_000)), type)).to.deep.equal([
      413,
      'the events of the request together are larger as JSON than the limit of 4 MB',
    ]);
    expect((await send(protobufOf(ids, texts(100_000)), type))[0]).to.equal(200);
  });

  const large = 'x'.repeat(1.5 * 2 ** 20);
  const tooLarge: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    'an attribute': { a: large },
    'a tag': { 'braintrust.tags': [large] },
  };
  for (const [name, values] of Object.entries(tooLarge))
    it(`one with ${name} that is too large for the store leaves the others`, async () => {
      const first = span({ spanId: '1'.repeat(16), attributes: attributes(values) });
      const [status, text] = await send(JSON.stringify(exportOf([first, span()])));
      expect([status, JSON.parse(text as string)]).to.deep.equal([
        200,
        {
          partialSuccess: {
            rejectedSpans: '1',
            errorMessage:
              'resourceSpans[0].scopeSpans[0].spans[0]: the span has 2 MB, the limit is 1 MB',
          },
        },
      ]);
    });

  it('one that is too large makes no project', async () => {
    const tooLargeSpan = span({ attributes: attributes({ a: large }) });
    const parent = { 'x-bt-parent': 'project_name:never made' };
    expect((await send(JSON.stringify(exportOf([tooLargeSpan])), parent))[0]).to.equal(400);
    expect(await listObjects(server(), '/v1/project?project_name=never%20made')).to.deep.equal([]);
  });

  it('a project with too long a name names its source', async () => {
    const parent = `project_name:${'x'.repeat(1001)}`;
    const reason = 'name: expected at most 1000 characters, got 1001';
    const path = 'resourceSpans[0].scopeSpans[0].spans[0]';
    const body = JSON.stringify(exportOf([span()]));
    expect(await send(body, { 'x-bt-parent': parent })).to.deep.equal([
      400,
      `${path}: the header x-bt-parent: ${reason}`,
    ]);
    expect(await send(JSON.stringify(exportOf([inParent(parent)])))).to.deep.equal([
      400,
      `${path}: the attribute braintrust.parent: ${reason}`,
    ]);
  });
});

describe('OpenTelemetry spans with a text that is too large', () => {
  const server = sharedServer();

  it('are refused alone, before they are read', async () => {
    const { id } = await createProject(server());
    const [first, ...rest] = JSON.stringify(exportOf(spans(2))).split('"name":');
    const body = `${first}"name":${' '.repeat(64 * 2 ** 20)}${rest.join('"name":')}`;
    const headers = {
      'Content-Type': json,
      'Content-Encoding': 'gzip',
      'x-bt-parent': `project_id:${id}`,
    };
    const answer = await postSpans(server(), gzipSync(body), { headers });
    expect([answer.status, JSON.parse(answer.body.toString())]).to.deep.equal([
      200,
      {
        partialSuccess: {
          rejectedSpans: '1',
          errorMessage:
            'resourceSpans[0].scopeSpans[0].spans[0]: the span has 65 MB, the limit is 64 MB',
        },
      },
    ]);
  });
});

describe('OpenTelemetry spans of a key of another organisation', () => {
  const directory = temporaryDirectory();

  it('cannot go to objects of ours, and make projects of their own', async () => {
    const first = await openServer({ dir: directory() });
    const { id, name } = await createProject(first);
    await first.stop();
    await addOrganisation(directory());
    const server = await openServer({ dir: directory() });
    try {
      const send = async (parent: string) => {
        const body = JSON.stringify(exportOf([inParent(parent)]));
        const answer = await postSpans(server, body, {
          key: strangerKey,
          headers: { 'Content-Type': json },
        });
        return answer.status;
      };
      expect([await send(`project_id:${id}`), await send(`project_name:${name}`)]).to.deep.equal([
        403, 200,
      ]);
      const events = await server.events(`project_logs/${id}`);
      expect(events).to.deep.equal([]);
    } finally {
      await server.stop();
    }
  });
});

describe('OpenTelemetry spans at a high rate', () => {
  const server = sharedServer({ environment: { EVALSTORE_RATE_LIMIT: '1' } });

  it('are refused with 429 and the time to try again', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => postSpans(server(), '', { headers: { 'Content-Type': protobuf } })),
    );
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers['retry-after']).to.equal('1');
  });
});

describe('OpenTelemetry spans for a storage that is full', () => {
  it('are refused with 503 and the time to try again', async () => {
    const server = await startServer({ wrapper: ['prlimit', `--fsize=${8 * 2 ** 20}`] });
    try {
      const large = attributes({ a: 'x'.repeat(2 ** 20) });
      const send = (id: number) =>
        postSpans(
          server,
          JSON.stringify(
            exportOf([span({ spanId: `${id + 1}`.padStart(16, '0'), attributes: large })]),
          ),
          { headers: { 'Content-Type': json, 'x-bt-parent': 'project_name:full' } },
        );
      let answer = await send(0);
      for (let id = 1; id < 20 && answer.status === 200; id += 1) answer = await send(id);
      expect([answer.status, answer.headers['retry-after']]).to.deep.equal([503, '5']);
      expect(textOf(answer)).to.match(/^the storage is full or cannot be written/);
    } finally {
      await server.kill();
    }
  });
});
