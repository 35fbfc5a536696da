// The summary of an experiment against another: of Evalstore a route, of the others a query over `comparison`.
import { leafColumns } from '../contenders/leaf-columns.js';
import type { Question } from '../questions/question.js';
import { rowsMax } from './rows.js';

/** The scores with their columns. */
export const scoreLeaves = leafColumns.filter(({ column }) => column === 'scores');

const pairs = scoreLeaves.map(({ name, path: [score] }) => ({ name, score }));

/** One row for each score of each row. */
const longDuckdb = `SELECT * FROM (UNPIVOT (SELECT side, root_span_id,
  ${pairs.map(({ name, score }) => `${name} AS "${score}"`).join(', ')} FROM comparison)
  ON ${pairs.map(({ score }) => `"${score}"`).join(', ')} INTO NAME name VALUE value)`;

const longClickhouse = `SELECT side, root_span_id, pair.1 AS name, pair.2 AS value FROM comparison
  ARRAY JOIN [${pairs.map(({ name, score }) => `('${score}', ${name})`).join(', ')}] AS pair WHERE pair.2 IS NOT NULL`;

const longPostgres = `SELECT side, root_span_id, scored.name, scored.value FROM comparison CROSS JOIN LATERAL
  (VALUES ${pairs.map(({ name, score }) => `('${score}', ${name})`).join(', ')}) AS scored(name, value)
  WHERE scored.value IS NOT NULL`;

/** Scores are averaged by trace, then by the input of its root, and the inputs that both sides have are compared. */
const summarySql = (long: string): string => `
  WITH scored AS (${long}),
    trace AS (SELECT side, root_span_id, name, avg(value) AS score FROM scored GROUP BY side, root_span_id, name),
    root AS (SELECT side, root_span_id, input_hash FROM comparison WHERE is_root),
    matched AS (SELECT input_hash, name,
      avg(CASE WHEN side = 'this' THEN score END) - avg(CASE WHEN side = 'other' THEN score END) AS difference
      FROM trace JOIN root USING (side, root_span_id) GROUP BY input_hash, name),
    changes AS (SELECT name, avg(difference) AS mean_difference,
      sum(CASE WHEN difference > 0 THEN 1 ELSE 0 END) AS better,
      sum(CASE WHEN difference < 0 THEN 1 ELSE 0 END) AS worse FROM matched GROUP BY name),
    scores AS (SELECT name, avg(score) AS mean_score FROM trace WHERE side = 'this' GROUP BY name)
  SELECT name, mean_score AS score, mean_difference AS diff, better AS improvements, worse AS regressions
  FROM scores LEFT JOIN changes USING (name)`;

export const comparisonQuestion: Question = {
  name: 'experiment-comparison',
  group: 'comparison',
  title: `summary of an experiment of ${rowsMax / 1000},000 rows against another`,
  columns: {
    name: 'text',
    score: 'number',
    diff: 'number',
    improvements: 'number',
    regressions: 'number',
  },
  evalstore: 'GET /v1/experiment/{id}/summarize',
  duckdb: summarySql(longDuckdb),
  clickhouse: summarySql(longClickhouse),
  postgres: summarySql(longPostgres),
};
