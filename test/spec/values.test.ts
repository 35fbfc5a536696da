// JSON in, JSON out: what clients send comes back equal, digit for digit and key for key.
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

describe('values survive', () => {
  const server = sharedServer();
  let logs: string;
  let projects = 0;

  beforeEach(async () => {
    const name = `values ${projects++}`;
    const { id: projectId } = await createProject(server(), { name });
    logs = `/v1/project_logs/${projectId}`;
  });

  /** Inserts one event whose text is given as it is sent, and returns the text of the whole fetch. */
  async function roundTrip(event: string): Promise<string> {
    await server().post(`${logs}/insert`, `{"events":[${event}]}`);
    const fetched = await server().request('GET', `${logs}/fetch`);
    expect(fetched.status, fetched.text).to.equal(200);
    return fetched.text;
  }

  async function query(text: string): Promise<string> {
    const source = `project_logs('${logs.split('/').at(-1)}')`;
    const answer = await server().request('POST', '/query', {
      query: `${text} | from: ${source}`,
    });
    expect(answer.status, answer.text).to.equal(200);
    return answer.text;
  }

  for (const number of [
    '12345678901234567890',
    '0.123456789012345678901234567891',
    '123456789012345.678901234567891',
    '1e400',
    '-0.0000001',
    '9007199254740993',
  ])
    it(`the number ${number}`, async () => {
      const text = await roundTrip(`{"input":${number},"metadata":{"deep":[{"n":${number}}]}}`);
      const spelling = number === '-0.0000001' ? '-1e-7' : number;
      expect(text).to.include(`"input":${spelling},`).and.include(`{"deep":[{"n":${spelling}}]}`);
      expect(await query('select: input as i, metadata.deep[0].n as n')).to.include(
        `{"i":${spelling},"n":${spelling}}`,
      );
    });

  it('digits below the elements of an array', async () => {
    const p = '0.12345678901234567890';
    await roundTrip(`{"input":{"items":[{"p":${p},"q":[{"r":${p}}]}]}}`);
    const answer = await query(
      'select: item.p as p, item.q[0].r as r, part.r as s | unpivot: input.items as item, item.q as part',
    );
    expect(answer).to.include(`{"p":${p},"r":${p},"s":${p}}`);
  });

  it('times compare as times beside values of other kinds', async () => {
    await roundTrip('{"created":"2024-06-01T00:00:00Z","input":"2024-06-01"}');
    const answer = await query(
      `select: coalesce(metadata.t, created) >= '2024-06-01T00:00:00.500Z' as a, coalesce(created, 5) > '2024' as b, coalesce(metadata.t, created) = '2024-06-01T00:00:00Z' as c, coalesce(metadata.t, created) < 'x' as d`,
    );
    expect(answer).to.include('{"a":false,"b":true,"c":true,"d":null}');
    const among = await query(
      `select: coalesce(metadata.t, created) in ['x', '2024-06-01'] as a, coalesce(created, 5) in [5, '2024-06-01T02:00:00+02:00'] as b, coalesce(created, 'x') in ['2024-06-02', 'x', 1] as c, coalesce(error, input, created) in ['2024-06-01'] as d, coalesce(metadata.t, created) in [created, 1] as e`,
    );
    expect(among).to.include('{"a":true,"b":true,"c":false,"d":true,"e":true}');
    const others = await query(
      `select: coalesce(metadata.t, created) <=> '2024-06-01' as a, coalesce(created, 5) <=> input as b, nullif(coalesce(metadata.t, created), '2024-06-01') as c, coalesce(created, 5) in [input] as d, coalesce(input, created) <=> 'x' as e, nullif('2024-06-01', coalesce(metadata.t, created)) as f`,
    );
    expect(others).to.include('{"a":true,"b":true,"c":null,"d":true,"e":false,"f":null}');
  });

  it('times and strings that are equal as times have a column of pivot each', async () => {
    await roundTrip('{"metadata":{"t":"2024-06-01"}}');
    await roundTrip('{"created":"2024-06-01T00:00:00Z"}');
    const answer = await query(
      'dimensions: error, coalesce(metadata.t, created) as t | measures: count(*) as n | pivot: n',
    );
    expect(answer).to.include('{"error":null,"2024-06-01_n":1,"2024-06-01T00:00:00Z_n":1}');
  });

  it('keys in the order in which they were sent', async () => {
    const object = '{"b":1,"10":2,"9":3,"a":{"2":1,"1":2}}';
    expect(await roundTrip(`{"input":${object},"metadata":${object}}`))
      .to.include(`"input":${object}`)
      .and.include(`"metadata":${object}`);
  });

  it('null inside objects', async () => {
    const object = '{"a":null,"b":[null]}';
    expect(await roundTrip(`{"output":${object}}`)).to.include(`"output":${object}`);
  });

  it('control characters and astral characters', async () => {
    const text = await roundTrip(String.raw`{"input":"\u0000é\ud83d\ude00"}`);
    expect(JSON.parse(text)).to.have.nested.property('events[0].input', '\u0000é\u{1f600}');
    expect(JSON.parse(await query('select: input'))).to.have.nested.property(
      'data[0].input',
      '\u0000é\u{1f600}',
    );
  });

  it('text sent as an escape is found by its character', async () => {
    await roundTrip(String.raw`{"input":"caf\u00e9","metadata":{"drink":"caf\u00e9"}}`);
    expect(await query("select: input | filter: input ILIKE '%É%'")).to.include('café');
    expect(await query("select: input | filter: metadata.drink ILIKE '%é%'")).to.include('café');
  });

  it('an unpaired surrogate becomes U+FFFD, and later queries are unharmed', async () => {
    const text = await roundTrip(String.raw`{"input":{"cut":"abc\ud83d"},"metadata":{"\ud800":1}}`);
    expect(JSON.parse(text)).to.have.nested.property('events[0].input.cut', 'abc\ufffd');
    expect(await query('select: input.cut as cut, metadata as m')).to.include(
      '{"cut":"abc\ufffd","m":{"\ufffd":1}}',
    );
  });

  it('of duplicate keys the last one wins', async () => {
    expect(await roundTrip('{"input":{"a":1,"a":2}}')).to.include('"input":{"a":2}');
  });

  it('keys that JavaScript treats specially are data', async () => {
    const object = '{"__proto__":{"x":1},"constructor":2,"":3,"*":4}';
    expect(await roundTrip(`{"metadata":${object}}`)).to.include(`"metadata":${object}`);
    expect(
      await query('select: metadata."__proto__".x as a, metadata."" as b, metadata."*" as c'),
    ).to.include('{"a":1,"b":3,"c":4}');
  });

  it('nesting 500 deep', async () => {
    const deep = `${'[{"a":'.repeat(250)}1${'}]'.repeat(250)}`;
    expect(await roundTrip(`{"input":${deep}}`)).to.include(`"input":${deep}`);
  });

  for (const wrong of ['NaN', 'Infinity', '-Infinity', '01', '[1,]', "'a'", '0x10'])
    it(`${wrong} is not JSON`, async () => {
      const answer = await server().request(
        'POST',
        `${logs}/insert`,
        `{"events":[{"input":${wrong}}]}`,
      );
      expect(answer.status).to.equal(400);
      expect(answer.text).to.match(/JSON/);
      expect((await server().request('GET', `${logs}/fetch`)).text).to.include('"events":[]');
    });
});
