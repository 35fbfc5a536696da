// Questions whose SQL the transcript shows: those that people ask of logs and evaluations, and each rule of the compiler at least once.

/** As in the demo and the benchmark. */
export const typical: Readonly<Record<string, string>> = {
  'calls by model and day':
    'dimensions: metadata.model as model, day(created) as day | measures: count(1) as n | sort: day, model',
  'error rate by model':
    'dimensions: metadata.model as model | measures: count(error) / count(1) as rate | sort: rate desc',
  'median and 95th percentile of latency':
    "dimensions: hour(created) as hour | measures: percentile(metrics.end - metrics.start, 0.5) as p50, percentile(metrics.end - metrics.start, 0.95) as p95 | filter: span_attributes.type = 'llm'",
  'cost per user':
    'dimensions: metadata.user_id as user | measures: sum(metadata.cost_usd) as cost | sort: cost desc | limit: 20',
  'traces by duration':
    'dimensions: root_span_id as trace | measures: max(metrics.end) - min(metrics.start) as seconds, count(1) as spans | sort: seconds desc | limit: 50',
  'top rows by tokens':
    "select: id as id, metrics.tokens as tokens, metadata.model as model | filter: span_attributes.type = 'task' | sort: tokens desc, id | limit: 20",
  'scores of tagged rows':
    "dimensions: metadata.model as model | measures: count(1) as n, avg(scores.Factuality) as score | filter: tags includes 'flaky'",
  'rows that mention a word': "measures: count(1) as n | filter: input ilike '%refund%'",
  'users by environment':
    'dimensions: metadata.environment as environment | measures: count_distinct(metadata.user_id) as users',
  'one week by span':
    "dimensions: span_attributes.name as name | measures: count(1) as n, avg(metrics.tokens) as tokens | filter: created >= '2024-02-01T00:00:00Z' and created < '2024-02-08T00:00:00Z'",
  'histogram of a score':
    'dimensions: floor(scores.Factuality * 10) as bucket | measures: count(1) as n | filter: scores.Factuality is not null',
  'low scores of one model':
    "measures: count(1) as n, avg(metrics.tokens) as tokens | filter: metadata.model = 'gpt-4o' and scores.Relevance < 0.5",
  'highest level by reason':
    'dimensions: metadata.escalation.reason as reason | measures: count(1) as n, max(metadata.escalation.level) as level | filter: metadata.escalation.reason is not null',
  'cost and hits by tier and language':
    'dimensions: metadata.customer.tier as tier, metadata.language as language | measures: sum(metadata.cost_usd) as cost, avg(metadata.cached) as hits',
  'wrong answers with most steps':
    'select: id as id, metadata.steps as steps | filter: scores.correct = 0 | sort: steps desc, id | limit: 20',
  'newest rows with input and output':
    'select: id as id, created as created, input as input, output as output | limit: 10',
  'groups by a path of several types': 'dimensions: metadata.v as v | measures: count(1) as n',
  'a word with boundaries': "measures: count(1) as n | filter: output match 'invoice number'",
  'summaries of the slowest traces':
    "select: root_span_id, metrics.duration as seconds | from: experiment('e1') summary | sort: seconds desc | limit: 20",
  'one row per tag': 'dimensions: tag | measures: count(*) as count | unpivot: tags as tag',
};

/** Corners of what compiles, and what does not. */
export const corners: Readonly<Record<string, string>> = {
  'and, or, not':
    'measures: count(1) as n | filter: not (is_root or scores.x > 0.5) and (metadata.cached or metadata.n = 1 or metadata.n = 2)',
  'kinds that are never equal':
    "measures: count(1) as n | filter: metadata.model = 1 or metadata.n != 'x' or metadata.cached < 'x'",
  'null-safe equality':
    "measures: count(1) as n | filter: metadata.model <=> metadata.language or metadata.n <=> null or metadata.n <=> 'x'",
  'a constant null': 'measures: count(1) as n | filter: metadata.n = null',
  'an absent path':
    "dimensions: metadata.absent as absent | measures: min(metadata.absent) as least, sum(metadata.absent) as total | filter: metadata.absent = 'x' or metadata.absent is null",
  'in with strings, numbers and null':
    "measures: count(1) as n | filter: metadata.model in ['a', 1, 'b'] or metadata.n in [1, null] or not (metadata.n in [])",
  'in with times':
    "measures: count(1) as n | filter: created in ['2024-01-01', '2024-01-02T03:04:05.678901+02:00']",
  'times beside texts that are none':
    "measures: count(1) as n | filter: created != 'yesterday' or created > '2024-13-01'",
  arithmetic:
    'select: id, -metadata.n as a, (metadata.n + 1) * 2 - scores.x / scores.y as b, metadata.n % 7 as c, metadata.cached + 1 as d | limit: 5',
  'moved times':
    "measures: count(1) as n | filter: created > now() - interval 1 day and created + interval 2 months < '2030-01-01' and day(created) != hour(created) and interval 3 weeks + created > current_date()",
  patterns: String.raw`measures: count(1) as n | filter: metadata.model like 'gpt\%_%' or metadata.model ilike 'Kiss' or metadata.model like 'gpt-4' or metadata.model like '%größe%'`,
  'patterns over JSON':
    "measures: count(1) as n | filter: output like '%\"ok\"%' or not (expected ilike 'Yes%')",
  'choice and coalesce':
    'dimensions: metadata.n > 1 ? metadata.model : null as m | measures: count(scores.x >= 0.5 ? 1 : null) as good, sum(scores.x >= 0.5) as same, max(coalesce(metadata.n, metadata.steps, 0)) as c',
  functions:
    "select: concat(metadata.model, ':', id) as a, len(metadata.model) as b, len(tags) as c, abs(metadata.n) as d, floor(scores.x) as e, ceil(scores.x) as f, to_string(id) as g, to_number(metadata.w) as h, to_integer(metadata.cached) as i | limit: 5",
  'function contains': "measures: count(1) as n | filter: contains(span_parents, 's1')",
  'ids of objects':
    'dimensions: experiment_id, project_id, dataset_id, log_id, org_id | measures: count(1) as n, max(_xact_id) as newest',
  'a final filter over aggregates':
    'dimensions: metadata.model as model | measures: avg(scores.x) as a, min(metadata.model) as m, max(created) as c, min(metadata.cached) as b | final_filter: a > 0.25 and count(*) > 1',
  'time units':
    "dimensions: second(created) as s, minute(created) as m, week(created) as w, month(created) as mo, year(created) as y, date_trunc('quarter', created) as q | measures: count(1) as n",
  'whole fields': 'select: id, tags, metadata, scores, is_root | filter: error is null | limit: 3',
  'hostile strings': `measures: count(1) as n | filter: metadata.model in ["'", "''; drop table x --", "\\\\", "\t\u001f\u007f", "é", "😀", "$1", "%", "U&'\\\\0041'", '"', "/* */"]`,
  comparisons:
    "measures: count(1) as n | filter: metadata.n <= 3 and metadata.n >= 1 and scores.x != 0.5 and metadata.model < 'h' and metadata.model > 'a' and created <= current_timestamp()",
  'numbers of every size':
    'measures: count(1) as n | filter: metadata.n in [0, -0.0, 0.1, 1e23, 5e-324, 1.7976931348623157e308, 9007199254740993, -12345678901234567890]',
  'a limit above all counts':
    'dimensions: metadata.model | measures: count(1) as n | limit: 5000000000',
  'text of a number': 'select: to_string(metadata.n) as t | limit: 1',
  'a pattern that numbers match': "measures: count(1) as n | filter: output like '%1%'",
  'ilike beyond ASCII': "measures: count(1) as n | filter: metadata.model ilike '%größe%'",
  'a comparison of JSON': "measures: count(1) as n | filter: output = 'x'",
  'a path in JSON text': 'dimensions: metadata.deep | measures: count(1) as n',
  'an element': 'dimensions: metadata.list[0], tags[0] | measures: count(1) as n',
  'a path with objects, too': 'dimensions: metadata.odd | measures: count(1) as n',
  'a name beyond ASCII': 'dimensions: metadata.größe | measures: count(1) as n',
  'an order of lists': 'select: id | sort: tags | limit: 1',
  'rows without a limit': 'select: id',
  'too many rows': 'select: id | limit: 10001',
  'a time beside a string of a row': 'measures: count(1) as n | filter: created > metadata.model',
  microseconds: 'measures: count(1) as n | filter: created > now() - interval 1 microsecond',
  'kinds in one expression': 'select: coalesce(metadata.n, metadata.model) as x | limit: 1',
  'a constant list': "measures: count(1) as n | filter: tags = ['a']",
  'the page key': 'select: _pagination_key | limit: 1',
  'functions that engines do not share': 'select: lower(id) as x | limit: 1',
  'aggregates that engines do not share': 'measures: stddev(metadata.n) as x',
  versions: "select: id | from: experiment('e1') versions | limit: 1",
  sample: 'select: id | sample: 10% | limit: 1',
};

/** With its source, if the text has none. */
export const withSource = (query: string, source = "experiment('e1')"): string =>
  query.includes('from:')
    ? query.replace("experiment('e1')", source)
    : `${query} | from: ${source}`;
