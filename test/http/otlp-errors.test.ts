// Every error of the routes of exporters is a google.rpc.Status in the encoding of the request: exporters show no other body.
import { expect } from 'chai';
import { exportOf, span } from '../otlp/spans.js';
import {
  json,
  postSpans,
  protobuf,
  protobufOf,
  statusOf,
  type Sent,
} from '../support/post-spans.js';
import { sharedServer } from '../support/start-server.js';

const bodies: Readonly<Record<string, string | Uint8Array>> = {
  [json]: JSON.stringify(exportOf([span()])),
  [protobuf]: protobufOf(['1'.repeat(16)]),
};

interface Case {
  readonly name: string;
  readonly sent?: Sent;
  readonly body?: string | Uint8Array;
  readonly status: number;
  /** Of google.rpc.Code. */
  readonly code: number;
  readonly message: string;
}

const encoded = (encoding: string): Sent => ({ headers: { 'Content-Encoding': encoding } });

const unsupported = (encoding: string) =>
  `the content encoding "${encoding}" of the request body is not supported: expected gzip, deflate, br or identity`;

const cases: readonly Case[] = [
  {
    name: 'spans without a parent',
    status: 400,
    code: 3,
    message:
      'resourceSpans[0].scopeSpans[0].spans[0]: the span has no parent: expected the attribute braintrust.parent or the header x-bt-parent',
  },
  {
    name: 'no key',
    sent: { key: null },
    status: 401,
    code: 16,
    message: 'this request needs an API key in the header "Authorization: Bearer <API_KEY>"',
  },
  {
    name: 'a wrong key',
    sent: { key: 'wrong' },
    status: 401,
    code: 16,
    message: 'the API key is not valid',
  },
  {
    name: 'an unknown project',
    sent: { headers: { 'x-bt-parent': 'project_id:00000000-0000-4000-8000-000000000000' } },
    status: 403,
    code: 7,
    message:
      'resourceSpans[0].scopeSpans[0].spans[0]: the header x-bt-parent: no project with the id "00000000-0000-4000-8000-000000000000" that this key may use',
  },
  {
    name: 'log records',
    sent: { path: '/otel/v1/logs' },
    status: 404,
    code: 5,
    message: 'POST /otel/v1/logs: only traces are supported, not log records',
  },
  {
    name: 'metrics',
    sent: { path: '/otel/v1/metrics' },
    status: 404,
    code: 5,
    message: 'POST /otel/v1/metrics: only traces are supported, not metrics',
  },
  {
    name: 'a large body',
    body: ' '.repeat(2 ** 20 + 1),
    status: 413,
    code: 8,
    message: 'the request body is larger than the limit of 1 MB',
  },
  ...['zstd', 'snappy'].map((encoding) => ({
    name: `a body in ${encoding}`,
    sent: encoded(encoding),
    status: 415,
    code: 3,
    message: unsupported(encoding),
  })),
];

describe('errors of exports', () => {
  const server = sharedServer({ environment: { EVALSTORE_BODY_LIMIT_MB: '1' } });
  const limited = sharedServer({ environment: { EVALSTORE_RATE_LIMIT: '1' } });

  const answerTo = async (type: string, { sent = {}, body = bodies[type]! }: Partial<Case>) => {
    const headers = { 'Content-Type': type, ...sent.headers };
    return postSpans(server(), body, { ...sent, headers });
  };

  for (const expected of cases) {
    const { name, status, code, message } = expected;
    it(`${name}: in JSON`, async () => {
      const answer = await answerTo(json, expected);
      expect([answer.status, answer.type]).to.deep.equal([status, `${json}; charset=utf-8`]);
      expect(JSON.parse(answer.body.toString())).to.deep.equal({ code, message });
    });

    it(`${name}: in protobuf`, async () => {
      const answer = await answerTo(protobuf, expected);
      expect([answer.status, answer.type]).to.deep.equal([status, protobuf]);
      expect(statusOf(answer.body)).to.deep.equal({ code, message });
    });
  }

  it('are in JSON for any other content type, and for no content type', async () => {
    for (const headers of [{ 'Content-Type': 'application/grpc' }, {}]) {
      const answer = await postSpans(server(), '{}', { path: '/v1/traces', headers });
      expect(answer.status).to.equal(415);
      expect(JSON.parse(answer.body.toString())).to.have.keys('code', 'message');
    }
    const got = await server().request('GET', '/otel/v1/traces');
    expect([got.status, JSON.parse(got.text)]).to.deep.equal([
      405,
      { code: 12, message: '/otel/v1/traces takes POST, not GET' },
    ]);
  });

  it('of requests beyond the rate limit say when to try again', async () => {
    const headers = { 'Content-Type': protobuf };
    let answer = await postSpans(limited(), '', { headers });
    while (answer.status === 200) answer = await postSpans(limited(), '', { headers });
    expect([answer.status, answer.type, statusOf(answer.body).code]).to.deep.equal([
      429,
      protobuf,
      8,
    ]);
    expect(answer.headers['retry-after']).to.match(/^\d+$/);
  });

  it('of other routes stay plain text', async () => {
    const { headers } = await server().request('GET', '/v1/traces/more');
    expect(headers.get('content-type')).to.equal('text/plain; charset=utf-8');
  });
});

describe('exports without spans', () => {
  const server = sharedServer();
  const warningOf = async (body: unknown) => {
    const headers = { 'Content-Type': json };
    const answer = await postSpans(server(), JSON.stringify(body), { headers });
    return [answer.status, JSON.parse(answer.body.toString())];
  };

  const named: readonly (readonly [object, string])[] = [
    [{ resource_spans: [{}] }, 'request body: expected resourceSpans, got resource_spans'],
    [{ resourceLogs: [] }, 'request body: expected resourceSpans, got resourceLogs'],
    [{ resourceMetrics: [] }, 'request body: expected resourceSpans, got resourceMetrics'],
    [
      { resourceSpans: [{ scope_spans: [{ spans: [span()] }] }] },
      'resourceSpans[0]: expected scopeSpans, got scope_spans',
    ],
    [
      { resourceSpans: [{}, { instrumentationLibrarySpans: [] }] },
      'resourceSpans[1]: expected scopeSpans, got instrumentationLibrarySpans',
    ],
  ];
  for (const [body, warning] of named)
    it(`get a warning: ${warning}`, async () => {
      expect(await warningOf(body)).to.deep.equal([
        200,
        {
          partialSuccess: {
            rejectedSpans: '0',
            errorMessage: `${warning}; the request has no spans`,
          },
        },
      ]);
    });

  it('get none if nothing is meant to be spans', async () => {
    for (const body of [{}, { resourceSpans: [] }, { other: 1, constructor: [] }])
      expect(await warningOf(body)).to.deep.equal([200, {}]);
  });

  it('of which some are spans get none', async () => {
    const headers = { 'Content-Type': json, 'x-bt-parent': 'project_name:warned' };
    const body = JSON.stringify({ ...exportOf([span()]), resource_spans: [{}] });
    expect((await postSpans(server(), body, { headers })).body.toString()).to.equal('{}');
  });
});
