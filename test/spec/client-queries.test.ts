// The queries and nodes that published clients know: each is answered, or refused by a sentence that says what to write instead.
import { expect } from 'chai';
import { createDataset, createExperiment, createProject } from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';

type Build = () => unknown;

const ident = (...name: readonly (string | number)[]) => ({ op: 'ident', name });
const literal = (value: unknown) => ({ op: 'literal', value });
const compared = (op: string, left: unknown, right: unknown) => ({ op, left, right });
const fieldOf = (name: string) => ({ alias: name, expr: ident(name) });

describe('queries of published clients', () => {
  const server = sharedServer();
  const ids: Record<string, string> = {};

  before(async () => {
    const { id: project_id } = await createProject(server());
    ids['experiment'] = (await createExperiment(server(), project_id)).id;
    ids['dataset'] = (await createDataset(server(), { project_id })).id;
    for (const kind of ['project_logs', 'project_prompts', 'project_functions'])
      ids[kind] = project_id;
    const events = [{ id: 'a', root_span_id: 't', input: 'hello', metadata: { split: 'odd' } }];
    await server().insert(`experiment/${ids['experiment']}`, events);
  });

  /** `<kind>` in a text is a source. */
  const sent = (query: string): string =>
    query.replaceAll(/<(\w+)>/g, (_, kind: string) => `${kind}('${ids[kind]}')`);

  const sourceOf = (kind: string) => ({
    op: 'function',
    name: ident(kind),
    args: [literal(ids[kind])],
  });

  const from =
    (kind: string, rest: object, select: unknown = [{ op: 'star' }]): Build =>
    () => ({
      select,
      from: sourceOf(kind),
      ...rest,
    });

  const filtered = (...children: readonly unknown[]): Build =>
    from('project_logs', {
      filter: {
        op: 'and',
        children: [compared('eq', ident('root_span_id'), literal('t')), ...children],
      },
      limit: 1000,
    });

  const duration = compared('sub', ident('metrics', 'end'), ident('metrics', 'start'));
  const purpose = ident('span_attributes', 'purpose');
  const listed = ['id', 'input', 'expected', 'metadata', 'tags', 'origin'].map(fieldOf);
  const since = compared('ge', ident('created'), literal('1970-01-01T00:00:00Z'));
  const recent = 'created >= NOW() - INTERVAL 604800 SECOND';

  const answered: Readonly<Record<string, Build | string>> = {
    'iterates a dataset': from('dataset', { cursor: null, limit: 1000 }),
    'iterates with a text as filter': from('experiment', {
      filter: { btql: "metadata.split = 'odd'" },
    }),
    'reads the spans of a trace': filtered(
      {
        op: 'or',
        children: [{ op: 'isnull', expr: purpose }, compared('ne', purpose, literal('scorer'))],
      },
      compared('in', ident('span_attributes', 'type'), literal(['llm'])),
      compared('in', ident('span_attributes', 'name'), literal([])),
      { op: 'isnotnull', expr: ident('error') },
      compared('eq', ident('metadata', 'deep', 'k'), literal(1)),
      compared('eq', ident('metadata', 'deep'), literal({ k: [1] })),
      { op: 'isnull', expr: ident('metadata', 'model') },
      compared('ge', duration, literal(0)),
      compared('le', duration, literal(60)),
      literal(false),
    ),
    'lists records': from('dataset', { filter: since, limit: 200, preview_length: 125 }, listed),
    'finds the last transaction': from(
      'dataset',
      { filter: since, limit: 1, sort: [{ dir: 'desc', expr: ident('_xact_id') }] },
      [fieldOf('_xact_id')],
    ),
    'lists prompts': from('project_prompts', { filter: compared('eq', ident('id'), literal('x')) }),
    'tests spans': () => ({
      select: [{ op: 'star' }],
      from: { ...sourceOf('experiment'), shape: 'traces' },
      filter: {
        op: 'and',
        left: { op: 'singlespanfilter', expr: { op: 'isnull', expr: ident('error') } },
        right: { op: 'matchingspansfilter', expr: ident('is_root') },
      },
    }),
    'views logs': `select: * | from: <project_logs> summary | filter: ${recent} | preview_length: 125 | sort: _pagination_key DESC | limit: 50`,
    'searches logs': `select: * | from: <project_logs> spans | filter: (${recent}) AND (input MATCH 'hello' OR expected MATCH 'hello' OR metadata MATCH 'hello' OR tags MATCH 'hello' OR output MATCH 'hello' OR span_attributes MATCH 'hello') | preview_length: 125 | sort: _pagination_key DESC | limit: 50`,
    'pulls spans': `select: * | from: <project_logs> spans | limit: 50 | sort: _pagination_key DESC | filter: ${recent}`,
    'pulls keys': `select: root_span_id, span_id, id | from: <dataset> spans | limit: 1000 | sort: _pagination_key DESC | filter: ${recent}`,
    'pulls traces': `select: * | from: <project_logs> spans | filter: root_span_id IN ['a', 'b'] | limit: 1000 | sort: _pagination_key ASC`,
    'lists functions': 'SELECT * FROM <project_functions>',
    'lists scorers': "SELECT * FROM <project_functions> WHERE function_type = 'scorer'",
    'reads a trace in SQL': `SELECT * FROM <experiment> WHERE root_span_id = 't' AND span_attributes.type != 'score' ORDER BY created ASC LIMIT 1000`,
    'reads the size of a dataset':
      'SELECT max(_xact_id) as version, count(*) as count FROM <dataset>',
    'reads names': `select: span_id, span_parents, root_span_id, name | from: <project_logs> | filter: root_span_id = 't'`,
    'quotes a part of a path': "SELECT metadata.'braintrust.input_json' FROM <experiment>",
    'asks for traces': `select: * | from: <experiment> traces | filter: ANY_SPAN(error IS NULL) and FILTER_SPANS(is_root)`,
    'asks for paths': 'infer: * | from: <experiment>',
    'compares with null': 'select: id | from: <experiment> | filter: error <=> null',
    'filters traces': `select: id | from: <experiment> traces | trace_filter: scores.x is null | span_filter: is_root`,
  };

  for (const [what, query] of Object.entries(answered))
    it(what, async () => {
      const body = {
        query: typeof query === 'string' ? sent(query) : query(),
        use_columnstore: false,
        brainstore_realtime: true,
        lint_mode: 'strict',
      };
      const { status, text } = await server().request('POST', '/btql', body);
      expect(status, text).to.equal(200);
    });

  // Every step of a query walks its expressions, not only those that compile it.
  it('refuse what is nested too deeply, in every clause', async () => {
    const rest = ' and metadata.b'.repeat(480);
    const deep = Array.from({ length: 9 }).reduce<string>((inner) => `(${inner}${rest})`, 'id');
    for (const clause of ['filter', 'sort', 'final_filter', 'trace_filter', 'span_filter']) {
      const query = sent(`select: id | from: <experiment> traces | ${clause}: ${deep}`);
      expect(await outcome(server().request('POST', '/btql', { query })), clause).to.satisfy(
        ([code, reason]: readonly [number, string]) =>
          code === 400 && reason.includes('nested deeper than 1000 levels'),
      );
    }
  });
});
