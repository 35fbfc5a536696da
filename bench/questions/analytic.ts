// Twelve questions that people ask of evaluations and traces.
import { standard, type Question } from './question.js';

const analytic = (question: Omit<Question, 'group'>): Question => ({
  ...question,
  group: 'analytic',
});

const scoreByModel = analytic({
  name: 'score-by-model',
  title: 'mean score by model',
  columns: { model: 'text', score: 'number', n: 'number' },
  evalstore:
    'dimensions: metadata.model as model | measures: avg(scores.Factuality) as score, count(1) as n',
  ...standard('SELECT model, avg(factuality) AS score, count(*) AS n FROM event GROUP BY model'),
});

const twoPathFilter = analytic({
  name: 'two-path-filter',
  title: 'count and mean under a filter on two paths',
  columns: { n: 'number', tokens: 'number' },
  evalstore: `measures: count(1) as n, avg(metrics.tokens) as tokens
    filter: metadata.model = 'gpt-4o' and scores.Relevance < 0.5`,
  ...standard(
    "SELECT count(*) AS n, avg(tokens) AS tokens FROM event WHERE model = 'gpt-4o' AND relevance < 0.5",
  ),
});

const dailyMedian = analytic({
  name: 'daily-median',
  title: 'median duration by day',
  columns: { day: 'time', p50: 'number', n: 'number' },
  evalstore: `dimensions: day(created) as day
    measures: percentile(metrics.end - metrics.start, 0.5) as p50, count(1) as n`,
  duckdb: `SELECT date_trunc('day', created) AS day, quantile_cont(end_time - start_time, 0.5) AS p50, count(*) AS n
    FROM event GROUP BY 1`,
  clickhouse: `SELECT toStartOfDay(created) AS day, quantileExactInclusive(0.5)(end_time - start_time) AS p50, count(*) AS n
    FROM event GROUP BY day`,
  postgres: `SELECT date_trunc('day', created) AS day,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY end_time - start_time) AS p50, count(*) AS n FROM event GROUP BY 1`,
});

const hourlyTail = analytic({
  name: 'hourly-p95',
  title: '95th percentile of the duration of model calls by hour',
  columns: { hour: 'time', p95: 'number' },
  evalstore: `dimensions: hour(created) as hour | measures: percentile(metrics.end - metrics.start, 0.95) as p95
    filter: span_attributes.type = 'llm'`,
  duckdb: `SELECT date_trunc('hour', created) AS hour, quantile_cont(end_time - start_time, 0.95) AS p95
    FROM event WHERE span_type = 'llm' GROUP BY 1`,
  clickhouse: `SELECT toStartOfHour(created) AS hour, quantileExactInclusive(0.95)(end_time - start_time) AS p95
    FROM event WHERE span_type = 'llm' GROUP BY hour`,
  postgres: `SELECT date_trunc('hour', created) AS hour,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY end_time - start_time) AS p95
    FROM event WHERE span_type = 'llm' GROUP BY 1`,
});

const rareKey = analytic({
  name: 'rare-key',
  title: 'groups of a key that one event of 500 has',
  columns: { reason: 'text', n: 'number', level: 'number' },
  evalstore: `dimensions: metadata.escalation.reason as reason
    measures: count(1) as n, max(metadata.escalation.level) as level
    filter: metadata.escalation.reason IS NOT NULL`,
  ...standard(`SELECT escalation_reason AS reason, count(*) AS n, max(escalation_level) AS level
    FROM event WHERE escalation_reason IS NOT NULL GROUP BY escalation_reason`),
});

const distinctUsers = analytic({
  name: 'distinct-users',
  title: 'distinct users by environment',
  columns: { environment: 'text', users: 'number' },
  evalstore:
    'dimensions: metadata.environment as environment | measures: count_distinct(metadata.user_id) as users',
  ...standard(
    'SELECT environment, count(DISTINCT user_id) AS users FROM event GROUP BY environment',
  ),
});

const mostTokens = analytic({
  name: 'most-tokens',
  title: 'the 20 roots with the most tokens',
  columns: { id: 'text', tokens: 'number', model: 'text' },
  isOrdered: true,
  evalstore: `select: id as id, metrics.tokens as tokens, metadata.model as model
    filter: span_attributes.type = 'task' | sort: tokens desc, id | limit: 20`,
  duckdb: `SELECT id, tokens, model FROM event WHERE span_type = 'task' ORDER BY tokens DESC NULLS LAST, id LIMIT 20`,
  clickhouse: `SELECT id, tokens, model FROM event WHERE span_type = 'task' ORDER BY tokens DESC NULLS LAST, id LIMIT 20`,
  postgres: `SELECT id, tokens, model FROM event WHERE span_type = 'task'
    ORDER BY tokens DESC NULLS LAST, id COLLATE "C" LIMIT 20`,
});

const byTag = analytic({
  name: 'tag-filter',
  title: 'mean score by model of the events with a tag',
  columns: { model: 'text', n: 'number', score: 'number' },
  evalstore: `dimensions: metadata.model as model | measures: count(1) as n, avg(scores.Coherence) as score
    filter: tags includes 'flaky'`,
  duckdb: `SELECT model, count(*) AS n, avg(coherence) AS score FROM event WHERE list_contains(tags, 'flaky') GROUP BY model`,
  clickhouse: `SELECT model, count(*) AS n, avg(coherence) AS score FROM event WHERE has(tags, 'flaky') GROUP BY model`,
  postgres: `SELECT model, count(*) AS n, avg(coherence) AS score FROM event WHERE tags @> ARRAY['flaky'] GROUP BY model`,
});

const oneWeek = analytic({
  name: 'one-week',
  title: 'mean tokens by span name in one week',
  columns: { name: 'text', n: 'number', tokens: 'number' },
  evalstore: `dimensions: span_attributes.name as name | measures: count(1) as n, avg(metrics.tokens) as tokens
    filter: created >= '2024-02-01T00:00:00Z' and created < '2024-02-08T00:00:00Z'`,
  ...standard(`SELECT span_name AS name, count(*) AS n, avg(tokens) AS tokens FROM event
    WHERE created >= '2024-02-01' AND created < '2024-02-08' GROUP BY span_name`),
});

const histogram = analytic({
  name: 'score-histogram',
  title: 'histogram of a score',
  columns: { bucket: 'number', n: 'number' },
  evalstore: `dimensions: floor(scores.Factuality * 10) as bucket | measures: count(1) as n
    filter: scores.Factuality IS NOT NULL`,
  ...standard(`SELECT floor(factuality * 10) AS bucket, count(*) AS n FROM event
    WHERE factuality IS NOT NULL GROUP BY floor(factuality * 10)`),
});

const mixedGroups = `prompt_version_number, prompt_version_text, prompt_version_flag`;

const mixedTypes = analytic({
  name: 'mixed-types',
  title: 'groups of a key that holds numbers, strings and booleans',
  columns: { version: 'json', n: 'number' },
  evalstore: 'dimensions: metadata.prompt_version as version | measures: count(1) as n',
  duckdb: `SELECT coalesce(to_json(prompt_version_number), to_json(prompt_version_text),
    to_json(prompt_version_flag))::VARCHAR AS version, count(*) AS n FROM event GROUP BY ${mixedGroups}`,
  clickhouse: `SELECT coalesce(toString(prompt_version_number), concat('"', prompt_version_text, '"'),
    toString(prompt_version_flag)) AS version, count(*) AS n FROM event GROUP BY ${mixedGroups}`,
  postgres: `SELECT coalesce(to_json(prompt_version_number), to_json(prompt_version_text),
    to_json(prompt_version_flag))::text AS version, count(*) AS n FROM event GROUP BY ${mixedGroups}`,
});

const costs = (hits: string): string =>
  `SELECT tier, language, sum(cost_usd) AS cost, avg(${hits}) AS hits FROM event GROUP BY tier, language`;

const costByTier = analytic({
  name: 'cost-by-tier',
  title: 'cost and cache hits by customer tier and language',
  columns: { tier: 'text', language: 'text', cost: 'number', hits: 'number' },
  evalstore: `dimensions: metadata.customer.tier as tier, metadata.language as language
    measures: sum(metadata.cost_usd) as cost, avg(metadata.cache_hit) as hits`,
  duckdb: costs('cache_hit::INTEGER'),
  clickhouse: costs('cache_hit'),
  postgres: costs('cache_hit::integer'),
});

export const analyticQuestions: readonly Question[] = [
  scoreByModel,
  twoPathFilter,
  dailyMedian,
  hourlyTail,
  rareKey,
  distinctUsers,
  mostTokens,
  byTag,
  oneWeek,
  histogram,
  mixedTypes,
  costByTier,
];
