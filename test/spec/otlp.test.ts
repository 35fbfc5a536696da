// The endpoint of OpenTelemetry's exporters: encodings, what is stored, what is answered, and what is refused.
import { randomUUID } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { expect } from 'chai';
import { attributes, exportOf, span, spanId, traceId } from '../otlp/spans.js';
import { createProject } from '../support/objects.js';
import {
  inHeader,
  inParent,
  json,
  postSpans,
  protobuf,
  protobufOf,
  sendSpans,
  textOf,
  type Sent,
} from '../support/post-spans.js';
import { sharedServer } from '../support/start-server.js';

const usage = (tokens: number) => ({
  'ai.usage.inputTokens': tokens,
  'ai.usage.totalTokens': tokens,
});

describe('OpenTelemetry spans', () => {
  const server = sharedServer();
  let project = '';

  before(async () => {
    project = (await createProject(server())).id;
  });

  const send = (spans: readonly unknown[], sent?: Sent) => sendSpans(server(), spans, sent);
  const rows = (kind: string, id: string) => server().events(`${kind}/${id}`);

  describe('encodings', () => {
    const encoded: Readonly<
      Record<string, readonly [Readonly<Record<string, string>>, (body: Buffer) => Buffer]>
    > = {
      'as they are': [{}, (body) => body],
      'in gzip': [{ 'Content-Encoding': 'gzip' }, (body) => gzipSync(body)],
      'in brotli': [{ 'Content-Encoding': 'br' }, (body) => brotliCompressSync(body)],
      'with a charset': [{ 'Content-Type': 'Application/JSON ; charset=utf-8' }, (body) => body],
    };
    for (const path of ['/otel/v1/traces', '/v1/traces'])
      for (const [name, [headers, encode]] of Object.entries(encoded))
        it(`${name} at ${path}, JSON is answered with JSON`, async () => {
          const { id } = await createProject(server());
          const body = JSON.stringify(exportOf([inParent(`project_id:${id}`)]));
          const answer = await postSpans(server(), encode(Buffer.from(body)), {
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
      const answer = await postSpans(server(), [body.subarray(0, 20), body.subarray(20)], {
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
      expect(
        (await postSpans(server(), '', { headers: { 'Content-Type': protobuf } })).status,
      ).to.equal(200);
      expect(await send([])).to.deep.equal([200, '{}']);
      expect(textOf(await postSpans(server(), '', { headers: { 'Content-Type': json } }))).to.equal(
        'request body: expected an object, got nothing',
      );
    });

    it('compressed answers are what the client asked for', async () => {
      const answer = await postSpans(server(), protobufOf([spanId]), {
        headers: {
          'Content-Type': protobuf,
          'Accept-Encoding': 'gzip',
          ...inHeader(`project_id:${project}`).headers,
        },
      });
      expect(answer.status).to.equal(200);
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
    await postSpans(server(), body, { headers: { 'Content-Type': json } });
    const query = `select: metadata."http.route" as route, metadata.big as big | from: project_logs('${id}') | filter: context.otel.resource."service.name" = 'shop'`;
    const { text } = await server().request('POST', '/query', { query });
    expect(text).to.include('"data":[{"route":"/pay","big":9223372036854775807}]');
  });

  it('count tokens of the calls of the AI SDK once', async () => {
    const { id } = await createProject(server());
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
    const data = await server().query(query);
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
      const answer = await postSpans(server(), protobufOf([spanId, '00', '']), {
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
      const answer = await postSpans(server(), body, {
        headers: { 'Content-Type': json, 'x-bt-parent': `project_id:${id}` },
      });
      expect(answer.status).to.equal(400);
      expect(textOf(answer)).to.match(
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
        const answer = await postSpans(server(), '{}', { headers });
        expect([answer.status, textOf(answer)]).to.deep.equal([415, text]);
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
        expect((await postSpans(server(), bytes, { headers })).status).to.equal(400);
      }
    });

    it('in JSON that is not UTF-8', async () => {
      const answer = await postSpans(server(), Buffer.from([0x22, 0xff, 0x22]), {
        headers: { 'Content-Type': json },
      });
      expect([answer.status, textOf(answer)]).to.deep.equal([400, 'the request body is not UTF-8']);
    });
  });
});
