// `hash(x)`: one text for all values that are equal as JSON, the one that summaries match inputs by.
import { hash } from 'node:crypto';
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

/** JSON texts, and the canonical text of each. */
const values: readonly (readonly [text: string, canonical: string])[] = [
  ['"plain"', '"plain"'],
  ['"\\u001f/\\u00e9 \\"quoted\\""', '"\\u001f/é \\"quoted\\""'],
  ['true', 'true'],
  ['1', '1'],
  ['1.0', '1'],
  ['-2.50', '-2.5'],
  ['1e21', '1e+21'],
  ['1e-7', '1e-7'],
  ['1152921504606846976', '1152921504606847000'],
  ['{"b": 1, "a": {"d": [1.0, 2], "c": "\\u001f"}}', '{"a":{"c":"\\u001f","d":[1,2]},"b":1}'],
  ['{"a": {"c": "\\u001f", "d": [1, 2]}, "b": 1.0}', '{"a":{"c":"\\u001f","d":[1,2]},"b":1}'],
  ['[]', '[]'],
];

const md5 = (text: string): string => hash('md5', text);

for (const flushRows of ['1', '100000'])
  describe(`hashes of values in segments of ${flushRows} rows`, () => {
    const server = sharedServer({ environment: { EVALSTORE_FLUSH_ROWS: flushRows } });
    let experiment: string;

    const ask = (clauses: string, id = experiment) =>
      server().query(`${clauses} | from: experiment('${id}')`);

    const load = async (project: string, rows: readonly string[]): Promise<string> => {
      const { id } = await createExperiment(server(), project);
      const events = rows.map(
        (text, index) =>
          `{"id":"${index}","input":${text},"metadata":{"v":${text}},"scores":{"s":${index % 2}}}`,
      );
      const path = `/v1/experiment/${id}/insert`;
      await server().post(path, `{"events":[${events.join(',')}]}`);
      return id;
    };

    before(async () => {
      const project = (await createProject(server())).id;
      experiment = await load(
        project,
        values.map(([text]) => text),
      );
    });

    it('are MD5 of the canonical text, in 32 hex digits; null has none', async () => {
      const rows = await ask(
        "select: id, hash(input) as input, hash(metadata.v) as member, hash(error) as none, hash('a') as constant",
      );
      expect(rows).to.have.length(values.length);
      for (const { id, input, member, none, constant } of rows) {
        const wanted = md5(values[Number(id)]![1]);
        expect([input, member, none], values[Number(id)]![0]).to.deep.equal([wanted, wanted, null]);
        expect(constant).to.equal(md5('"a"'));
      }
    });

    it('are found by', async () => {
      const wanted = md5('{"a":{"c":"\\u001f","d":[1,2]},"b":1}');
      const found = await ask(`select: id | filter: hash(input) = '${wanted}' | sort: id`);
      expect(found).to.deep.equal([{ id: '10' }, { id: '9' }]);
    });

    it('group inputs as summaries match them', async () => {
      const project = (await createProject(server())).id;
      const texts = values.map(([text]) => text);
      const base = await load(project, texts);
      const other = await load(project, texts.toReversed());
      const path = `/v1/experiment/${other}/summarize?summarize_scores=true&comparison_experiment_id=${base}`;
      const { score_stats } = (await server().get(path)) as {
        score_stats: Readonly<Record<string, { diff_count: number }>>;
      };
      const groups = await ask('dimensions: hash(input) as key', base);
      expect(groups).to.have.length(new Set(values.map(([, canonical]) => canonical)).size);
      expect(score_stats['s']?.diff_count).to.equal(groups.length);
    });
  });
