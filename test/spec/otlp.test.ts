// The endpoint of OpenTelemetry's exporters: encodings, where spans go, what is answered, and what is refused.
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { expect } from 'chai';
import { attributes, exportOf, span, spanId, traceId, type Json } from '../otlp/spans.js';
import { slugOf } from '../otlp/slugs.js';
import { createExperiment, createProject, listObjects } from '../support/objects.js';
import { addOrganisation, strangerKey } from '../support/other-organisation.js';
import { sharedServer, startServer, testKey, type TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const json = 'application/json';
const protobuf = 'application/x-protobuf';

interface Sent {
  readonly path?: string;
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: Buffer;
  readonly headers: IncomingMessage['headers'];
}

/** As exporters do: in chunks, over a connection that closes. */
async function post(
  server: TestServer,
  body: string | Uint8Array | readonly Buffer[],
  { path = '/otel/v1/traces', key = testKey, headers = {} }: Sent,
): Promise<Answered> {
  const request = httpRequest(`${server.url}${path}`, {
    method: 'POST',
    headers: { ...(key === null ? {} : { Authorization: `Bearer ${key}` }), ...headers },
  });
  const chunks = Array.isArray(body) ? (body as readonly Buffer[]) : [Buffer.from(body as string)];
  for (const chunk of chunks) request.write(chunk);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'],
    body: await buffer(response),
    headers: response.headers,
  };
}

const field = (number: number, bytes: Uint8Array) =>
  new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes).finish();

/** A request in protobuf with one span for each id, without attributes. */
const protobufOf = (spanIds: readonly string[]): Uint8Array =>
  field(
    1,
    field(
      2,
      Buffer.concat(
        spanIds.map((id) =>
          field(
            2,
            Buffer.concat([
              field(1, Buffer.from(traceId, 'hex')),
              field(2, Buffer.from(id, 'hex')),
            ]),
          ),
        ),
      ),
    ),
  );

const inParent = (parent: unknown, fields: Json = {}) =>
  span({ ...fields, attributes: attributes({ 'braintrust.parent': parent }) });

describe('OpenTelemetry spans', () => {
  const server = sharedServer();
  let project = '';
  let experiment = '';

  before(async () => {
    project = (await createProject(server())).id;
    experiment = (await createExperiment(server(), project)).id;
  });

  const send = async (
    spans: readonly unknown[],
    sent: Sent = {},
  ): Promise<readonly [number, string]> => {
    const headers = { 'Content-Type': json, ...sent.headers };
    const { status, body } = await post(server(), JSON.stringify(exportOf(spans)), {
      ...sent,
      headers,
    });
    return [status, body.toString()];
  };

  const rows = async (kind: string, id: string): Promise<readonly Json[]> =>
    (await server().request('GET', `/v1/${kind}/${id}/fetch`)).json()['events'] as Json[];

  const inHeader = (parent: string) => ({ headers: { 'x-bt-parent': parent } });

  describe('encodings', () => {
    const encoded: Readonly<
      Record<string, readonly [Readonly<Record<string, string>>, (body: Buffer) => Buffer]>
    > = {
      'as they are': [{}, (body) => body],
      'in gzip': [{ 'Content-Encoding': 'gzip' }, (body) => gzipSync(body)],
      'in brotli': [{ 'Content-Encoding': 'br' }, (body) => brotliCompressSync(body)],
      'with a charset': [{ 'Content-Type': 'Application/JSON; charset=utf-8' }, (body) => body],
    };
    for (const path of ['/otel/v1/traces', '/v1/traces'])
      for (const [name, [headers, encode]] of Object.entries(encoded))
        it(`${name} at ${path}, JSON is answered with JSON`, async () => {
          const { id } = await createProject(server());
          const body = JSON.stringify(exportOf([inParent(`project_id:${id}`)]));
          const answer = await post(server(), encode(Buffer.from(body)), {
            path,
            headers: { 'Content-Type': json, ...headers },
          });
          expect([answer.status, answer.type, answer.body.toString()]).to.deep.equal([
            200,
            `${json}; charset=utf-8`,
            '{}',
          ]);
          expect(answer.headers['x-evalstore-version']).to.match(/^\d{19}$/);
          expect((await rows('project_logs', id)).map((row) => row['id'])).to.deep.equal([spanId]);
        });

    it('protobuf, in gzip and in chunks, is answered with an empty protobuf message', async () => {
      const { id } = await createProject(server());
      const body = gzipSync(protobufOf([spanId]));
      const answer = await post(server(), [body.subarray(0, 20), body.subarray(20)], {
        headers: {
          'Content-Type': protobuf,
          'Content-Encoding': 'gzip',
          'x-bt-parent': `project_id:${id}`,
        },
      });
      expect([answer.status, answer.type, answer.body.length]).to.deep.equal([200, protobuf, 0]);
      const [row] = await rows('project_logs', id);
      expect(row).to.deep.include({
        id: spanId,
        span_id: spanId,
        root_span_id: traceId,
        is_root: true,
      });
    });

    it('an empty message is accepted, and needs no parent', async () => {
      expect((await post(server(), '', { headers: { 'Content-Type': protobuf } })).status).to.equal(
        200,
      );
      expect(await send([])).to.deep.equal([200, '{}']);
      expect(
        (await post(server(), '', { headers: { 'Content-Type': json } })).body.toString(),
      ).to.equal('request body: expected an object, got nothing');
    });

    it('compressed answers are what the client asked for', async () => {
      const answer = await post(server(), protobufOf([spanId]), {
        headers: {
          'Content-Type': protobuf,
          'Accept-Encoding': 'gzip',
          ...inHeader(`project_id:${project}`).headers,
        },
      });
      expect(answer.status).to.equal(200);
    });
  });

  describe('parents', () => {
    it('are named by the attribute, which goes before the header', async () => {
      const [first, second] = [await createProject(server()), await createProject(server())];
      const spans = [
        inParent(`project_id:${first.id.toUpperCase()}`, { spanId: '1'.repeat(16) }),
        inParent(`project_name:${second.name}`, { spanId: '2'.repeat(16) }),
        inParent(`experiment_id:${experiment}`, { spanId: '3'.repeat(16) }),
        span({ spanId: '4'.repeat(16) }),
      ];
      expect(await send(spans, inHeader(`project_id:${second.id}`))).to.deep.equal([200, '{}']);
      const found = await Promise.all([
        rows('project_logs', first.id),
        rows('project_logs', second.id),
        rows('experiment', experiment),
      ]);
      expect(found.map((list) => list.map(({ id }) => (id as string)[0]).sort())).to.deep.equal([
        ['1'],
        ['2', '4'],
        ['3'],
      ]);
      expect(new Set(found.flat().map((row) => row['_xact_id'])).size).to.equal(1);
      expect(found[0]![0]!['metadata']).to.deep.equal({
        'braintrust.parent': `project_id:${first.id.toUpperCase()}`,
      });
    });

    it('a project that there is not is made, once', async () => {
      const name = `Projekt für Spans ${randomUUID()}`;
      const header = Buffer.from(`project_name:${name}`).toString('latin1');
      const answers = await Promise.all([1, 2, 3].map(() => send([span()], inHeader(header))));
      expect(answers).to.deep.equal(answers.map(() => [200, '{}']));
      const found = await listObjects(
        server(),
        `/v1/project?project_name=${encodeURIComponent(name)}`,
      );
      expect(found).to.have.length(1);
      expect(await rows('project_logs', found[0]!.id)).to.have.length(1);
    });

    it('no project is made by spans that are refused', async () => {
      const name = `refused ${randomUUID()}`;
      const [status] = await send([inParent(`project_name:${name}`, { traceId: 'x' })]);
      expect(status).to.equal(400);
      expect(
        await listObjects(server(), `/v1/project?project_name=${encodeURIComponent(name)}`),
      ).to.deep.equal([]);
    });

    it('an exported span is the parent of roots, and its trace that of all', async () => {
      const { id } = await createExperiment(server(), project);
      const parent = slugOf(
        4,
        1,
        [
          [3, 'a'.repeat(16)],
          [4, 'b'.repeat(32)],
        ],
        { object_id: id, row_id: 'r' },
      );
      const spans = [
        span({ spanId: '1'.repeat(16) }),
        span({ spanId: '2'.repeat(16), parentSpanId: '1'.repeat(16) }),
      ];
      expect(await send(spans, inHeader(parent))).to.deep.equal([200, '{}']);
      const found = await rows('experiment', id);
      const shown = found.map((row) => [
        row['id'],
        row['span_parents'],
        row['root_span_id'],
        row['is_root'],
      ]);
      expect(shown.sort()).to.deep.equal([
        ['1'.repeat(16), ['a'.repeat(16)], 'b'.repeat(32), false],
        ['2'.repeat(16), ['1'.repeat(16)], 'b'.repeat(32), false],
      ]);
      expect((found[0]!['context'] as { otel: Json }).otel['trace_id']).to.equal(traceId);
    });

    const noParent =
      'resourceSpans[0].scopeSpans[0].spans[0]: the span has no parent: expected the attribute braintrust.parent or the header x-bt-parent';
    const forms =
      'expected project_id:<id>, project_name:<name>, experiment_id:<id> or an exported span';
    const spot = 'resourceSpans[0].scopeSpans[0].spans[0]';

    it('are missed', async () => {
      expect(await send([span()])).to.deep.equal([400, noParent]);
      expect(await send([span()], inHeader(''))).to.deep.equal([400, noParent]);
    });

    it('are of one of the forms', async () => {
      expect(await send([span()], inHeader('shop'))).to.deep.equal([
        400,
        `${spot}: the header x-bt-parent: ${forms}, got "shop"`,
      ]);
      expect(await send([inParent('project_id:')])).to.deep.equal([
        400,
        `${spot}: the attribute braintrust.parent: ${forms}, got "project_id:"`,
      ]);
      expect(await send([inParent(5)])).to.deep.equal([
        400,
        `${spot}: the attribute braintrust.parent: expected a string, got 5`,
      ]);
      expect(await send([inParent('project_id:shop')])).to.deep.equal([
        400,
        `${spot}: the attribute braintrust.parent: expected the id to be a UUID`,
      ]);
    });

    it('that there are not, or that are of another kind, are refused', async () => {
      const absent = randomUUID();
      for (const [parent, kind, id] of [
        [`project_id:${absent}`, 'project', absent],
        [`project_id:${experiment}`, 'project', experiment],
        [`experiment_id:${absent}`, 'experiment', absent],
        [slugOf(3, 1, [[1, absent]]), 'experiment', absent],
      ] as const)
        expect(await send([span()], inHeader(parent))).to.deep.equal([
          403,
          `${spot}: the header x-bt-parent: no ${kind} with the id "${id}" that this key may use`,
        ]);
    });

    it('are at most 1,000 of one request', async () => {
      const spans = Array.from({ length: 1001 }, (_, n) => inParent(`project_name:p${n}`));
      expect(await send(spans)).to.deep.equal([
        400,
        'request body: expected spans of at most 1000 parents, got more',
      ]);
    });
  });

  it('that are sent twice are one row', async () => {
    const { id } = await createProject(server());
    const sent = inHeader(`project_id:${id}`);
    await send([span(), span({ name: 'again' })], sent);
    await send([span({ name: 'once more' })], sent);
    const found = await rows('project_logs', id);
    expect(found.map((row) => row['span_attributes'])).to.deep.equal([
      { name: 'once more', type: 'task' },
    ]);
  });

  it('keep what has no field where queries find it', async () => {
    const { id } = await createProject(server());
    const values = { 'braintrust.parent': `project_id:${id}`, 'http.route': '/pay', big: 0 };
    const body = JSON.stringify(
      exportOf([span({ attributes: attributes(values) })], {
        attributes: attributes({ 'service.name': 'shop' }),
      }),
    ).replace('{"intValue":"0"}', '{"intValue":"9223372036854775807"}');
    await post(server(), body, { headers: { 'Content-Type': json } });
    const query = `select: metadata."http.route" as route, metadata.big as big | from: project_logs('${id}') | filter: context.otel.resource."service.name" = 'shop'`;
    const { text } = await server().request('POST', '/query', { query });
    expect(text).to.include('"data":[{"route":"/pay","big":9223372036854775807}]');
  });

  it('count tokens of the calls of the AI SDK once', async () => {
    const { id } = await createProject(server());
    const usage = (tokens: number) => ({
      'ai.usage.inputTokens': tokens,
      'ai.usage.totalTokens': tokens,
    });
    const spans = [
      span({
        spanId: '1'.repeat(16),
        attributes: attributes({ 'ai.operationId': 'ai.generateText', ...usage(20) }),
      }),
      ...['2', '3'].map((digit) =>
        span({
          spanId: digit.repeat(16),
          parentSpanId: '1'.repeat(16),
          attributes: attributes({ 'ai.operationId': 'ai.generateText.doGenerate', ...usage(10) }),
        }),
      ),
    ];
    await send(spans, inHeader(`project_id:${id}`));
    const query = `measures: sum(metrics.prompt_tokens) as prompt, sum(metrics.tokens) as tokens | from: project_logs('${id}')`;
    const { data } = (await server().request('POST', '/query', { query })).json();
    expect(data).to.deep.equal([{ prompt: 20, tokens: 20 }]);
  });

  describe('of which some are refused', () => {
    it('are stored but for those, and the answer says how many and why', async () => {
      const { id } = await createProject(server());
      const absent = randomUUID();
      const spans = [
        span({ spanId: '' }),
        span(),
        inParent(`project_id:${absent}`, { spanId: '2'.repeat(16) }),
        inParent(`project_id:${absent}`, { spanId: '3'.repeat(16) }),
      ];
      const [status, text] = await send(spans, inHeader(`project_id:${id}`));
      expect(status).to.equal(200);
      expect(JSON.parse(text)).to.deep.equal({
        partialSuccess: {
          rejectedSpans: '3',
          errorMessage:
            'resourceSpans[0].scopeSpans[0].spans[0]: spanId: expected 16 hex digits that are not all 0, got ""',
        },
      });
      expect((await rows('project_logs', id)).map((row) => row['id'])).to.deep.equal([spanId]);
    });

    it('in protobuf are answered so in protobuf', async () => {
      const answer = await post(server(), protobufOf([spanId, '00', '']), {
        headers: { 'Content-Type': protobuf, 'x-bt-parent': `project_id:${project}` },
      });
      expect([answer.status, answer.type]).to.deep.equal([200, protobuf]);
      const reader = new BinaryReader(answer.body);
      expect(
        [
          reader.tag()[0],
          reader.uint32(),
          reader.tag()[0],
          reader.int64(),
          reader.tag()[0],
          reader.string(),
        ].filter((_, n) => n !== 1),
      ).to.deep.equal([
        1,
        1,
        2n,
        2,
        'resourceSpans[0].scopeSpans[0].spans[1]: spanId: expected 16 hex digits that are not all 0, got "00"',
      ]);
      expect(reader.pos).to.equal(answer.body.length);
    });

    it('refuse the request when they are all', async () => {
      const [status, text] = await send(
        [span({ spanId: '' }), span({ spanId: 'x' })],
        inHeader(`project_id:${project}`),
      );
      expect([status, text]).to.deep.equal([
        400,
        'resourceSpans[0].scopeSpans[0].spans[0]: spanId: expected 16 hex digits that are not all 0, got ""',
      ]);
    });

    it('one that is broken refuses them all, and nothing is stored', async () => {
      const { id } = await createProject(server());
      const body = JSON.stringify(exportOf([span(), span({ name: 'last' })])).replace(
        '"last"',
        'last',
      );
      const answer = await post(server(), body, {
        headers: { 'Content-Type': json, 'x-bt-parent': `project_id:${id}` },
      });
      expect(answer.status).to.equal(400);
      expect(answer.body.toString()).to.match(
        /^request body is not valid JSON at line 1, column \d+: invalid symbol$/,
      );
      expect(await rows('project_logs', id)).to.deep.equal([]);
    });
  });

  describe('are refused', () => {
    const types: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      [
        { 'Content-Type': 'text/plain' },
        'the content type "text/plain" of the request body is not supported: expected application/json or application/x-protobuf',
      ],
      [
        { 'Content-Type': 'application/grpc' },
        'the content type "application/grpc" of the request body is not supported: expected application/json or application/x-protobuf',
      ],
      [{}, 'the request has no content type: expected application/json or application/x-protobuf'],
      [
        { 'Content-Type': json, 'Content-Encoding': 'zstd' },
        'the content encoding "zstd" of the request body is not supported: expected gzip, deflate, br or identity',
      ],
    ];
    for (const [headers, text] of types)
      it(`with ${JSON.stringify(headers)}`, async () => {
        const answer = await post(server(), '{}', { headers });
        expect([answer.status, answer.body.toString()]).to.deep.equal([415, text]);
      });

    it('without a key, and with a wrong one', async () => {
      for (const key of [null, 'wrong'])
        expect((await send([span()], { key, ...inHeader(`project_id:${project}`) }))[0]).to.equal(
          401,
        );
    });

    it('in gzip that is none, or nothing', async () => {
      for (const bytes of ['{}', '']) {
        const headers = { 'Content-Type': json, 'Content-Encoding': 'gzip' };
        expect((await post(server(), bytes, { headers })).status).to.equal(400);
      }
    });

    it('in JSON that is not UTF-8', async () => {
      const answer = await post(server(), Buffer.from([0x22, 0xff, 0x22]), {
        headers: { 'Content-Type': json },
      });
      expect([answer.status, answer.body.toString()]).to.deep.equal([
        400,
        'the request body is not UTF-8',
      ]);
    });
  });
});

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
    const { status, body: text } = await post(server(), body, { headers: { ...headers, ...more } });
    return [status, text.toString()];
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
    const spans = (count: number) =>
      Array.from({ length: count }, (_, n) => span({ spanId: String(n + 1).padStart(16, '0') }));
    expect(await send(JSON.stringify(exportOf(spans(20), resource)))).to.deep.equal([
      413,
      'the resources and scopes of all spans together are larger than the limit of 2 MB',
    ]);
    expect(await send(JSON.stringify(exportOf(spans(2), resource)))).to.deep.equal([200, '{}']);
  });

  it('one that is too large for the store leaves the others', async () => {
    const large = span({
      spanId: '1'.repeat(16),
      attributes: attributes({ a: 'x'.repeat(1.5 * 2 ** 20) }),
    });
    const [status, text] = await send(JSON.stringify(exportOf([large, span()])));
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
});

describe('OpenTelemetry spans of a key of another organisation', () => {
  const directory = temporaryDirectory();

  it('cannot go to objects of ours, and make projects of their own', async () => {
    const first = await startServer({ dir: directory() });
    const { id, name } = await createProject(first);
    await first.stop();
    await addOrganisation(directory());
    const server = await startServer({ dir: directory() });
    try {
      const send = async (parent: string) => {
        const body = JSON.stringify(exportOf([inParent(parent)]));
        const answer = await post(server, body, {
          key: strangerKey,
          headers: { 'Content-Type': json },
        });
        return answer.status;
      };
      expect([await send(`project_id:${id}`), await send(`project_name:${name}`)]).to.deep.equal([
        403, 200,
      ]);
      const { events } = (await server.request('GET', `/v1/project_logs/${id}/fetch`)).json();
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
      [1, 2, 3].map(() => post(server(), '', { headers: { 'Content-Type': protobuf } })),
    );
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers['retry-after']).to.equal('1');
  });
});
