// The most frequent values of an expression: each selects as many rows as its count says.
import { expect } from 'chai';
import {
  exportQuery,
  facetQuery,
  isValue,
  missingMetrics,
  otherColumnsQuery,
  pageQuery,
  viewOf,
  withValue,
  type ListQuery,
} from '../../src/console/screens/rows/view.js';
import { placeOf, valuesQuery } from '../../src/console/screens/rows/filter-place.js';
import { quoted } from '../../src/console/server/clauses.js';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { list } from './list-query.js';

/** One of the most frequent values. */
interface Value extends Readonly<Record<string, unknown>> {
  readonly value: unknown;
  readonly n: number;
}

/** A trace of two spans. */
const trace = (name: string, input: string, seconds: number) => [
  {
    id: name,
    span_id: name,
    root_span_id: name,
    input,
    scores: { a: 0 },
    metrics: { start: 1, end: 1 + seconds },
  },
  {
    id: `${name}-1`,
    span_id: `${name}-1`,
    root_span_id: name,
    span_parents: [name],
    scores: { a: 1 },
  },
];

/** A span that counts its tokens. */
const span = (id: string, root: string, tokens: number) => ({
  id,
  span_id: id,
  root_span_id: root,
  span_parents: id === root ? null : [root],
  metrics: { tokens },
});

describe('most frequent values', () => {
  const server = sharedServer();

  it('select the rows that have a value of an expression', async () => {
    const { id: project } = await createProject(server());
    const values = [0, 1, null];
    const events = values.flatMap((a) => values.map((b) => ({ metadata: { a, b } })));
    await server().insert(`project_logs/${project}`, events);
    const { source, view, time } = list({ scope: 'span' });
    const from = { ...source, id: project };
    for (const operator of ['and', 'or']) {
      const expression = `metadata.a > 0.5 ${operator} metadata.b > 0.5`;
      const facet = facetQuery({ source: from, view, time }, expression, 5);
      const counts = (await server().query(facet)) as readonly Value[];
      expect(counts).to.have.length(3);
      for (const { value, n } of counts) {
        const filter = isValue(expression, JSON.stringify(value ?? null));
        const query = `select: id | from: project_logs(${quoted(project)}) | filter: ${filter}`;
        expect(await server().query(query), filter).to.have.length(n);
      }
    }
  });

  it('of an array are its elements', async () => {
    const { id: project } = await createProject(server());
    const rows = [['a', 'b'], ['a', 'a'], ['c'], null];
    await server().insert(
      `project_logs/${project}`,
      rows.map((tags) => ({ tags })),
    );
    for (const scope of ['root', 'span', 'trace'] as const)
      for (const before of ['tags includes ', "error is null and tags NOT INCLUDES 'b"]) {
        const { source, view, time } = list({ scope });
        const from = { ...source, id: project };
        const query = valuesQuery({ source: from, view, time }, placeOf(before).value!);
        expect(await server().query(query)).to.deep.equal([
          { value: 'a', n: 2 },
          { value: 'b', n: 1 },
          { value: 'c', n: 1 },
        ]);
      }
    // No operator, but the end of a name.
    expect(placeOf('includes').value).to.equal(null);
    expect(placeOf('metadata.includes ').value).to.equal(null);
  });

  it('select the traces that have a score or metric as a whole', async () => {
    const { id: project } = await createProject(server());
    await server().insert(`project_logs/${project}`, [
      ...trace('one', 'kept', 2),
      ...trace('two', 'kept', 3),
      ...trace('three', 'other', 2),
    ]);
    const of = (view: Partial<ListQuery['view']>): ListQuery => ({
      ...list(view),
      source: { kind: 'project_logs', id: project },
    });
    const kept = of({ filter: "input = 'kept'" });
    for (const [before, expression, raw, count] of [
      [kept, 'metrics.duration', '2', 1],
      [kept, 'scores.a', '0.5', 2],
      [of({ scope: 'span' }), 'metrics.duration', '2', 2],
    ] as const) {
      const values = (await server().query(facetQuery(before, expression, 9))) as readonly Value[];
      expect(values).to.deep.include({ value: Number(raw), n: count });
      const { f = '', in: scope = before.view.scope } = withValue(before, expression, raw);
      const after = viewOf(new URLSearchParams({ f, in: scope }));
      expect(await server().query(pageQuery({ ...before, view: after }))).to.have.length(count);
    }
    // The filter and the condition keep their scope.
    expect(withValue(of({ filter: 'metrics.tokens > 5' }), 'scores.a', '1')).to.not.have.property(
      'in',
    );
    expect(withValue(kept, 'input', '"x"')).to.not.have.property('in');
    expect(withValue(of({ scope: 'span', filter: 'a' }), 'scores.a', '1')).to.not.have.property(
      'in',
    );
    expect(withValue(list({}, 'dataset'), 'scores.a', '1')).to.not.have.property('in');
  });

  it('complete a filter with the number of rows that it selects in its scope', async () => {
    const { id: project } = await createProject(server());
    await server().insert(`project_logs/${project}`, [
      ...trace('one', 'kept', 2),
      ...trace('two', 'kept', 3),
      ...trace('three', 'other', 2),
    ]);
    const source = { kind: 'project_logs', id: project } as const;
    const found: string[] = [];
    for (const scope of ['root', 'span', 'trace'] as const)
      for (const path of ['scores.a', 'input', 'metrics.start']) {
        const all: ListQuery = { ...list({ scope }), source };
        const values = (await server().query(
          valuesQuery(all, placeOf(`${path} = `).value!),
        )) as readonly Value[];
        for (const { value, n } of values.filter((one) => one.value !== null)) {
          found.push(`${scope} ${path} ${String(value)}`);
          const filter = isValue(path, JSON.stringify(value));
          const rows = await server().query(pageQuery({ ...all, view: { scope, filter } }));
          expect(rows, `${scope} ${filter}`).to.have.length(n);
        }
      }
    expect(found).to.deep.equal([
      'root scores.a 0',
      'root input kept',
      'root input other',
      'root metrics.start 1',
      'span scores.a 0',
      'span scores.a 1',
      'span input kept',
      'span input other',
      'span metrics.start 1',
      // Whole traces have no start.
      'trace scores.a 0.5',
      'trace input kept',
      'trace input other',
    ]);
  });

  it('of metrics that only roots have are those of the roots', async () => {
    const { id: project } = await createProject(server());
    await server().insert(`project_logs/${project}`, [
      span('one', 'one', 5),
      span('inner', 'one', 7),
      span('two', 'two', 6),
    ]);
    const all: ListQuery = {
      ...list(),
      source: { kind: 'project_logs', id: project },
      columns: ['metrics.tokens'],
      sort: 'metrics.tokens desc',
    };
    const values = await server().query(facetQuery(all, 'metrics.tokens', 9));
    expect(values).to.deep.equal([
      { value: 5, n: 1 },
      { value: 6, n: 1 },
    ]);
    const { f = '', in: scope } = withValue(all, 'metrics.tokens', '5');
    expect(scope).to.equal(undefined);
    const chosen = { ...all, view: { filter: f, scope: 'root' } } as const;
    expect(await server().query(pageQuery(chosen))).to.have.length(1);
    const sorted = (await server().query(pageQuery(all))) as readonly { root_span_id: string }[];
    expect(sorted.map(({ root_span_id }) => root_span_id)).to.deep.equal(['two', 'one']);
    const byDuration = { ...all, sort: 'metrics.duration desc' };
    expect(
      await server().query(otherColumnsQuery(byDuration, ['one', 'two'])!),
    ).to.have.deep.members([
      { root_span_id: 'one', c0: 5 },
      { root_span_id: 'two', c0: 6 },
    ]);
    expect(await server().query(exportQuery(all))).to.deep.equal([
      { id: 'two', tokens: 6 },
      { id: 'one', tokens: 5 },
    ]);
    const onlySorted = { ...all, columns: ['id'], sort: 'metrics.tokens asc' };
    expect(await server().query(exportQuery(onlySorted))).to.deep.equal([
      { id: 'one' },
      { id: 'two' },
    ]);
    // The columns decide: an export with values of whole traces has none of these metrics.
    const mixed = ['scores', 'metrics.tokens', 'metrics.start desc'];
    expect(missingMetrics(all, mixed)).to.deep.equal(['metrics.tokens', 'metrics.start']);
    expect(missingMetrics(all, ['input', 'metrics.tokens'])).to.deep.equal([]);
    expect(missingMetrics(all, ['scores', 'metadata.metrics.tokens'])).to.deep.equal([]);
    for (const scope of ['span', 'trace'] as const)
      expect(missingMetrics(list({ scope }), ['metrics.end - metrics.start'])).to.deep.equal([
        'metrics.end',
        'metrics.start',
      ]);
    expect(missingMetrics(list({ scope: 'trace' }, 'dataset'), mixed)).to.deep.equal([]);
  });
});
