// Views as queries: what the address says, word for word, and nothing that a name or a value could break out of.
import { expect } from 'chai';
import { allOf, quoted } from '../../src/console/server/clauses.js';
import { barStart, bucketFor, type Bucket } from '../../src/console/screens/rows/buckets.js';
import {
  exportQuery,
  extentQuery,
  histogramQuery,
  isValue,
  newerQuery,
  otherColumnsQuery,
  pageQuery,
  pathText,
  rangeOf,
  viewOf,
} from '../../src/console/screens/rows/view.js';
import { timeOfVersion, versionAt } from '../../src/console/kit/version-time.js';
import { sharedServer } from '../support/start-server.js';
import { createProject } from '../support/objects.js';
import { inZone } from '../support/time-zone.js';
import { list } from './list-query.js';

/** The starts of bars, to the minute, in a time zone. */
const starts = (bucket: Bucket, zone: string, first: string, places: readonly number[]) =>
  inZone(zone, () =>
    places.map((place) =>
      new Date(barStart(bucket, Date.parse(first), place)).toISOString().slice(0, 16),
    ),
  );

describe('views', () => {
  it('are read from the address', () => {
    const view = viewOf(
      new URLSearchParams({
        f: 'a = 1',
        in: 'trace',
        sort: 'b desc',
        cols: 'x\ny',
        t: '7d',
        v: '5',
      }),
    );
    expect(view).to.deep.equal({
      filter: 'a = 1',
      scope: 'trace',
      sort: 'b desc',
      columns: ['x', 'y'],
      range: '7d',
      version: '5',
    });
    expect(viewOf(new URLSearchParams({ in: 'nonsense' })).scope).to.equal('root');
    // The short form of a version; another text is left to the server.
    for (const [v, version] of [
      ['81CD05ee665fdfb3', '1000192656880881099'],
      ['0000000000000000', '0000000000000000'],
      ['abc', 'abc'],
    ] as const)
      expect(viewOf(new URLSearchParams({ v })).version).to.equal(version);
  });

  it('ask roots, any span, or whole traces', () => {
    expect(pageQuery(list({ filter: 'a = 1 or b' }))).to.include(
      "from: project_logs('P')\nfilter: (is_root) and (a = 1 or b)\nsort: created desc\n",
    );
    expect(pageQuery({ ...list(), sort: 'scores.a desc' })).to.include(
      "from: project_logs('P') summary\nfilter: is_root\nsort: scores.a desc\n",
    );
    expect(pageQuery(list({ filter: 'a', scope: 'span' }))).to.include('\nfilter: a\n');
    expect(pageQuery(list({ filter: 'a', scope: 'trace' }))).to.include(
      '\nfilter: is_root\ntrace_filter: a\n',
    );
    expect(histogramQuery(list(), bucketFor(0, 0))).to.include(
      "from: project_logs('P')\nfilter: is_root",
    );
    expect(pageQuery(list({ filter: 'a' }, 'dataset'))).to.include(
      "from: dataset('P')\nfilter: a\n",
    );
  });

  it('ask for columns that their rows lack by themselves', () => {
    const ofTraces = { ...list(), columns: ['input', 'metrics.start'], sort: 'scores.a desc' };
    expect(otherColumnsQuery(ofTraces, ["it's"])).to.include(
      "select: root_span_id, metrics.start as c1\nfrom: project_logs('P')\nfilter: is_root and root_span_id in ['it''s']\n",
    );
    expect(otherColumnsQuery({ ...ofTraces, sort: '' }, ['k'])).to.match(
      /^select: root_span_id, id, error is not null as failed, input as c0, .*\nfrom: project_logs\('P'\) summary\nfilter: root_span_id in \['k'\]\n/,
    );
    expect(otherColumnsQuery({ ...ofTraces, columns: ['input'] }, ['k'])).to.equal(null);
    expect(otherColumnsQuery(list({}, 'dataset'), ['k'])).to.equal(null);
    expect(otherColumnsQuery(list(), [])).to.equal(null);
  });

  it('have newer rows where one that they select is newer', () => {
    expect(newerQuery(list({ filter: 'a or b' }), '5')).to.equal(
      "measures: count(*) as n\nfrom: project_logs('P')\nfilter: (_xact_id > '5') and ((is_root) and (a or b))",
    );
    expect(newerQuery({ ...list(), time: { from: 0, to: null } }, '5')).to.include(
      "(created >= '1970-01-01T00:00:00.000Z')",
    );
    expect(newerQuery(list({ scope: 'span', filter: 'a' }), '5')).to.include(
      "from: project_logs('P') summary\nfilter: (_xact_id > '5') and (a)",
    );
    expect(newerQuery(list({ scope: 'trace', filter: 'a' }), '5')).to.include('trace_filter: a\n');
    expect(newerQuery(list({ filter: 'a' }, 'dataset'), '5')).to.include(
      "from: dataset('P')\nfilter: (_xact_id > '5') and (a)",
    );
  });

  it('leave with whole values, under names that say what they are', () => {
    expect(exportQuery(list())).to.match(
      /^select: id, created, metadata\."user name", scores\.a\n/,
    );
    expect(exportQuery(list())).to.include('preview_length: -1');
    expect(exportQuery({ ...list(), columns: ['id', 'tags'] })).to.match(/^select: id, tags\n/);
  });

  it('keep a comment in a filter from the rest of the query', () => {
    expect(allOf('is_root', 'a -- why')).to.equal('(is_root) and (a -- why\n)');
  });

  it('have relative and absolute spans of time', () => {
    expect(rangeOf('24h', 90_000_000)).to.deep.equal({ from: 3_600_000, to: null });
    expect(rangeOf('1970-01-01T00:00:01.000Z..', 0)).to.deep.equal({ from: 1000, to: null });
    expect(rangeOf('x', 0)).to.deep.equal({ from: null, to: null });
    expect(bucketFor(0, 60_000)[0]).to.equal('second');
    expect(bucketFor(0, 86_400_000 * 30)[0]).to.equal('day');
    expect(bucketFor(0, 86_400_000 * 365 * 56)[0]).to.equal('year');
  });

  it('have bars that begin where the server cuts days, months and years in the time zone', () => {
    const [hour, day, month, year] = [1, 100, 3000, 30_000].map((days) =>
      bucketFor(0, 86_400_000 * days),
    );
    expect(starts(month!, 'UTC', '2022-12-01T00:00Z', [0, 3, 4, 15])).to.deep.equal([
      '2022-12-01T00:00',
      '2023-03-01T00:00',
      '2023-04-01T00:00',
      '2024-03-01T00:00',
    ]);
    expect(starts(month!, 'Asia/Tokyo', '2022-12-31T15:00Z', [2, 3])).to.deep.equal([
      '2023-02-28T15:00',
      '2023-03-31T15:00',
    ]);
    expect(starts(day!, 'Europe/Berlin', '2026-10-23T22:00Z', [1, 2, 3])).to.deep.equal([
      '2026-10-24T22:00',
      '2026-10-25T23:00',
      '2026-10-26T23:00',
    ]);
    expect(starts(year!, 'America/New_York', '1970-01-01T05:00Z', [31])).to.deep.equal([
      '2001-01-01T05:00',
    ]);
    expect(starts(hour!, 'Europe/Berlin', '1970-01-01T05:00Z', [2])).to.deep.equal([
      '1970-01-01T07:00',
    ]);
  });

  it('have versions for all times that a field accepts', () => {
    expect(versionAt(-1)).to.equal(versionAt(0));
    const [now, later, last] = ['2025', '2107', '9999'].map((year) =>
      BigInt(versionAt(Date.parse(`${year}-01-01T00:00Z`))),
    );
    expect(later! > now! && last! > later!).to.equal(true);
  });

  it('write values and paths as the language has them', () => {
    expect(isValue('tags', 'null')).to.equal('tags is null');
    expect(isValue('a or b', 'null')).to.equal('(a or b) is null');
    expect(isValue('metadata."a b" > 1', 'true')).to.equal('(metadata."a b" > 1) = true');
    expect(isValue('m', '12345678901234567890')).to.equal('m = 12345678901234567890');
    expect(isValue('m', '[-1,null,{"it\'s":["\\"",true]}]')).to.equal(
      `m = [-1,null,{'it''s':['"',true]}]`,
    );
    expect(pathText(['metadata', 'a b', 'c', '"'])).to.equal('metadata."a b".c.""""');
  });
});

describe('views and the server', () => {
  const server = sharedServer();

  it('have bars with the durations of their traces in every scope', async () => {
    const { id } = await createProject(server(), { name: 'durations' });
    await server().insert(`project_logs/${id}`, [{ metrics: { start: 10, end: 13 } }]);
    for (const scope of ['root', 'span', 'trace'] as const) {
      const { source, ...selection } = list({ filter: 'id is not null', scope });
      const query = histogramQuery({ ...selection, source: { ...source, id } }, bucketFor(0, 0));
      const { data } = (await server().request('POST', '/query', { query })).json();
      expect(data, scope).to.have.nested.property('0.p95', 3);
    }
  });

  const odd = ["it's", 'back\\slash', 'a"b', '%', 'line\nbreak', '\\'];

  it('agree about constants and names', async () => {
    const { id: project } = await createProject(server());
    const events = odd.map((text) => ({ id: `id ${text}`, metadata: { [text]: text } }));
    await server().insert(`project_logs/${project}`, events);
    for (const text of odd) {
      const query = `select: id | from: project_logs(${quoted(project)}) | filter: ${pathText(['metadata', text])} = ${quoted(text)}`;
      const data = await server().query(query);
      expect(data, text).to.deep.equal([{ id: `id ${text}` }]);
    }
  });

  it('agree about values of any kind, arrays and objects among them', async () => {
    const { id: project } = await createProject(server());
    const values = [[], odd, [-1.5, null, [true]], { odd }, { "it's": { 'a"b\\': 1 } }, 'x', 1e300];
    const events = values.map((v, index) => ({ id: `${index}`, metadata: { v } }));
    await server().insert(`project_logs/${project}`, events);
    for (const [index, value] of values.entries()) {
      const condition = isValue('metadata.v', JSON.stringify(value));
      const query = `select: id | from: project_logs(${quoted(project)}) | filter: ${condition}`;
      expect(await server().query(query), condition).to.deep.equal([{ id: `${index}` }]);
    }
  });

  it('agree about the number of rows: they count a trace with several roots once, in each scope', async () => {
    const { id: project } = await createProject(server());
    const events = ['a', 'b'].map((id) => ({ id, span_id: id, root_span_id: 't', input: 'x' }));
    await server().insert(`project_logs/${project}`, events);
    for (const view of [{}, { scope: 'span' }, { scope: 'trace' }] as const) {
      const source = { kind: 'project_logs', id: project } as const;
      const query = extentQuery({ ...list({ ...view, filter: "input = 'x'" }), source });
      const [{ n }] = (await server().query(query)) as readonly [{ n: number }];
      expect(n, query).to.equal(1);
    }
    expect(extentQuery(list({}, 'dataset'))).to.include('count(*) as n');
  });

  it('agree about the names of the columns that leave', async () => {
    const { id: project } = await createProject(server());
    await server().request('POST', `/v1/project_logs/${project}/insert`, { events: [{ id: 'a' }] });
    const names = ['model', 'output.model', '"user name"', '"a ""b"""', '"x.y".z'];
    const others = ['"温度"', '"压力"', '"温度"."压力"', '"a b".model', '"a-b".model'];
    const query = exportQuery({
      ...list(),
      source: { kind: 'project_logs', id: project },
      columns: [
        ...[...names, ...others].map((name) => `metadata.${name}`),
        ...others.map((name) => `input.${name}`),
      ],
    });
    const { data } = (await server().request('POST', '/query', { query })).json() as {
      readonly data: readonly object[];
    };
    expect(Object.keys(data[0]!)).to.deep.equal([
      'id',
      'model',
      'metadata_output_model',
      'user name',
      'a "b"',
      'z',
      '温度',
      '压力',
      'metadata_温度_压力',
      'metadata_a_b_model',
      'metadata_a_b_model_2',
      'input_温度',
      'input_压力',
      'input_温度_压力',
      'input_a_b_model',
      'input_a_b_model_2',
    ]);
  });

  it('agree about the version at a time', async () => {
    const before = versionAt(Date.now() - 1000);
    const { id: project } = await createProject(server());
    await server().insert(`project_logs/${project}`, [{ id: 'a' }]);
    const query = `select: id, _xact_id | from: project_logs('${project}')`;
    const now = (await server().query(query)) as readonly {
      _xact_id: string;
    }[];
    const past = await server().query(query, { version: before });
    expect([now.length, past]).to.deep.equal([1, []]);
    expect(Math.abs(timeOfVersion(now[0]!._xact_id) - Date.now())).to.be.below(60_000);
    expect(timeOfVersion('abc')).to.deep.equal(NaN);
  });
});
