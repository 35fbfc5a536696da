// JSON Lines in an insert: the same rows and refusals as events in a list.
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createDataset, createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

const types = ['application/jsonl', 'application/x-ndjson; charset=utf-8'];

describe('an insert of JSON Lines', () => {
  const server = sharedServer();

  const insert = (path: string, body: string | Buffer, headers = {}) =>
    server().request('POST', `/v1/${path}/insert`, body, {
      headers: { 'content-type': types[0]!, ...headers },
    });

  const newLogs = async () => `project_logs/${(await createProject(server())).id}`;

  async function send(body: string | Buffer, headers = {}) {
    const path = await newLogs();
    const { status, text } = await insert(path, body, headers);
    const events = await server().events(path);
    return { status, text, ids: events.map((event) => String(event['id'])).sort() };
  }

  for (const type of types)
    it(`stores an event for each line that is not blank, as ${type}`, async () => {
      const body = '{"id":"a","input":"x"}\r\n\n \t\n {"id":"b","input":[1,"\\n"]} \n{"id":"c"}';
      const { status, text, ids } = await send(body, { 'content-type': type });
      expect([status, text, ids]).to.deep.equal([
        200,
        '{"row_ids":["a","b","c"]}',
        ['a', 'b', 'c'],
      ]);
    });

  it('takes a byte order mark, a line feed at the end, gzip, and no lines at all', async () => {
    expect((await send('\uFEFF{"id":"a"}\n')).ids).to.deep.equal(['a']);
    const gzip = { 'content-encoding': 'gzip' };
    expect((await send(gzipSync('{"id":"a"}\n{"id":"b"}\n'), gzip)).ids).to.deep.equal(['a', 'b']);
    for (const body of ['', '\n\n']) expect((await send(body)).text).to.equal('{"row_ids":[]}');
  });

  it('stores the same rows as a list, of common and of other events, exact numbers and long texts', async () => {
    const events = [
      '{"id":"a","input":{"b":1,"a":[true,null]},"scores":{"good":1},"tags":["x"],"created":"2024-01-02T03:04:05Z"}',
      '{"id":"b","input":{"10":1e400,"9":9007199254740993},"scores":{"good":true},"inputs\\u0041":null}',
      '{"id":"c","input":"\\ud83d\\ude00 \\ud800"}',
      `{"id":"d","input":"${'long '.repeat(30_000)}","output":${'['.repeat(900)}${']'.repeat(900)}}`,
      `{"id":"e","input":"${'x'.repeat(1_100_000)}"}`,
      '{"id":"f","_object_delete":true}',
    ].map((event) => event.replace(',"inputs\\u0041":null', ''));
    const [one, other] = [await newLogs(), await newLogs()];
    await server().request('POST', `/v1/${one}/insert`, `{"events":[${events.join(',')}]}`);
    expect((await insert(other, `${events.join('\n\n')}\n`)).status).to.equal(200);
    const rows = async (path: string) => {
      const query = `select: id, input, output, scores, tags | from: ${path.replace('/', "('")}') | sort: id`;
      return (await server().request('POST', '/query', { query, fmt: 'jsonl' })).text;
    };
    expect(await rows(other)).to.equal(await rows(one));
    expect((await server().events(other)).length).to.equal(5);
  });

  it('inserts into experiments and datasets, with the rules of their events', async () => {
    const { id: projectId } = await createProject(server());
    const experiment = `experiment/${(await createExperiment(server(), projectId)).id}`;
    expect((await insert(experiment, '{"id":"a","output":1}')).status).to.equal(200);
    const dataset = `dataset/${(await createDataset(server(), { project_id: projectId })).id}`;
    expect((await insert(dataset, '{"id":"a","expected":1}\n{"id":"b"}')).status).to.equal(200);
    expect((await insert(dataset, '{"scores":{}}')).text).to.equal(
      'line 1: event: unknown field "scores"',
    );
    expect((await server().events(dataset)).length).to.equal(2);
  });

  const refusals: Readonly<Record<string, string>> = {
    '{"id":"a"}\n\n{"id":"b","created":"now"}':
      'line 3: event.created: expected an ISO 8601 date-time or null, got "now"',
    '{"id":"a"}\n{"id":"b","metadata":[]}':
      'line 2: event.metadata: expected an object or null, got []',
    '{"id":"a"}\n{"id":"b"': 'line 2 is not valid JSON at line 2, column 10: close brace expected',
    '{"id":"a"}\n{"id":"b","input":NaN}\n':
      'line 2 is not valid JSON at line 2, column 19: JSON has no NaN: send null instead',
    '{"id":"a","input":[1\n2]}':
      'line 1 is not valid JSON at line 1, column 21: close bracket expected',
    '{"id":"a"\n"input":1}': 'line 1 is not valid JSON at line 1, column 10: close brace expected',
    '{"id":"a"} {"id":"b"}': 'line 1 is not valid JSON at line 1, column 12: end of file expected',
    '{"id":"a"},\n{"id":"b"}':
      'line 1 is not valid JSON at line 1, column 11: end of file expected',
    '\n[{"id":"a"}]': 'line 2: event: expected an object, got [{"id":"a"}]',
    '{"events":[{"id":"a"}]}': 'line 1: event: unknown field "events"',
    '{"id":"a"}\n\n{"id":"b","_parent_id":"none"}': 'line 3: event',
    [`{"id":"a"}\n{"input":${'['.repeat(1001)}${']'.repeat(1001)}}`]:
      'line 2 is nested more than 1000 levels deep',
    [`\n{"input":${'1'.repeat(10_001)}}`]:
      'line 2: expected numbers of at most 10000 characters, got a longer one',
    [`{"input":["${'a'.repeat(300_000)}",]}`]: 'line 1 is not valid JSON at line 1',
  };
  for (const [body, sentence] of Object.entries(refusals))
    it(`refuses ${JSON.stringify(body).slice(0, 100)} and stores nothing`, async () => {
      const { status, text, ids } = await send(body);
      expect(text.slice(0, sentence.length)).to.equal(sentence);
      expect([status, ids]).to.deep.equal([400, []]);
    });

  it('refuses bytes that are not UTF-8, and more events than an insert may have', async () => {
    expect((await send(Buffer.from([0x7b, 0xff, 0x7d]))).text).to.equal(
      'the request body is not UTF-8',
    );
    const { status, text, ids } = await send('{"id":"a"}\n'.repeat(100_001));
    expect([status, text, ids]).to.deep.equal([
      400,
      'request body: expected at most 100000 events, got more',
      [],
    ]);
  });

  it('refuses formats of answers that it does not take, and reads bodies of any other type as JSON', async () => {
    const { status, text } = await send('id\na', { 'content-type': 'text/csv' });
    expect([status, text]).to.deep.equal([
      415,
      'the content type "text/csv" of the request body is not supported: expected application/json or application/jsonl or application/x-ndjson or application/vnd.apache.parquet',
    ]);
    for (const type of ['application/x-www-form-urlencoded', 'text/plain'])
      expect((await send('{"events":[{"id":"a"}]}', { 'content-type': type })).ids).to.deep.equal([
        'a',
      ]);
  });
});
