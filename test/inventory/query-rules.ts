// What queries mean, rule by rule: an expression on one row and its value, or a query and its rows.

/** Row `a`, on which expressions are computed. */
export const rowA = `{"id":"a","created":"2024-01-01T05:00:00Z","input":"Say hello","output":"Hello, world",
  "tags":["t1","t2"],"scores":{"s":0.5},"span_id":"a","metrics":{"start":10,"end":12.5},
  "metadata":{"n":7,"neg":-7,"one":1,"oneF":1.0,"big":9007199254740993,"bigger":9007199254740992,
  "s":"text","upper":"TEXT","b":true,"no":false,"z":null,"list":["x",1,{"k":1,"l":2}],
  "obj":{"a":1,"b":"x"},"swapped":{"b":"x","a":1.0},"key with space":{"inner":"found"},
  "time":"2024-01-01T05:00:00Z","astral":"\u{1F600}é","num":"42","json":"{\\"a\\":{\\"b\\":[5]}}",
  "words":"The quick-brown fox","percent":"50% off","quote":"it's","hour":3}}`;

/** Rows whose `metadata.v` is of every kind; `metadata.g` puts them into two groups. */
export const otherRows = `
  {"id":"b","_parent_id":"a","metadata":{"v":2,"g":"x"},"scores":{"s":1}},
  {"id":"c","metadata":{"v":"10","g":"x"}},
  {"id":"d","metadata":{"v":false,"g":"y"}},
  {"id":"e","metadata":{"v":[1],"g":"y"}},
  {"id":"f","metadata":{"v":{"k":1},"g":"y"}},
  {"id":"g","metadata":{"v":null}},
  {"id":"h","metadata":{"v":10,"g":"y"}}`;

type ValueRule = readonly [rule: string, expression: string, value: unknown];

export const valueRules: readonly ValueRule[] = [
  ['a path yields the JSON value', 'metadata.obj', { a: 1, b: 'x' }],
  ['a path yields NULL where it is absent', 'metadata.nowhere.deep', null],
  ['a path yields NULL for JSON null', 'metadata.z IS NULL', true],
  ['IS NOT NULL tests for a value', 'metadata.n IS NOT NULL', true],
  ['= NULL does not test for null', 'metadata.z = NULL', null],
  ['integers and floats that are equal are equal', 'metadata.one = metadata.oneF', true],
  ['integers beyond 2^53 compare by their double', 'metadata.big = metadata.bigger', true],
  ['numbers match only numbers', 'metadata.num > 1', null],
  ['strings match only strings', "metadata.n = '7'", null],
  ['false is less than true', 'metadata.no < metadata.b', true],
  [
    'objects are equal as JSON, whatever the order of keys',
    'metadata.obj = metadata.swapped',
    true,
  ],
  ['arrays and objects do not compare by size', 'metadata.obj < metadata.swapped', null],
  ['created compares with ISO 8601 strings', "created = '2024-01-01T05:00:00Z'", true],
  ['IN is an or of =', 'metadata.n IN [6, 7]', true],
  ['an element of another type counts as false in IN', "metadata.n IN ['7', 8]", false],
  ['NOT IN is its opposite', 'metadata.n NOT IN [6, 7]', false],
  ['!= and <> say not equal', 'metadata.n != 7 or metadata.n <> 7', false],
  ['>= and <= include the bound', 'metadata.n >= 7 and metadata.n <= 7', true],
  ['arithmetic on a non-number is NULL', 'metadata.s + 1', null],
  ['/ is float division', 'metadata.n / 2', 3.5],
  ['division by zero is NULL', 'metadata.n / 0', null],
  ['modulo by zero is NULL', 'metadata.n % 0', null],
  ['% keeps the sign of the left side', 'metadata.neg % 4', -3],
  ['+, -, *, unary - and parentheses', '-(metadata.n + 1) * 2 - 3', -19],
  ['round goes half away from zero', 'round(-2.5)', -3],
  ['string functions on a non-string are NULL', 'lower(metadata.n)', null],
  [
    'concat uses the JSON text of anything else and skips NULL',
    "concat('a', metadata.n, metadata.z, metadata.list[0])",
    'a7x',
  ],
  ['LIKE uses the JSON text of anything else', "metadata.n LIKE '7'", true],
  ['len counts code points of a string', 'len(metadata.astral)', 2],
  ['len counts elements of an array', 'len(metadata.list)', 3],
  ['len counts keys of an object', 'len(metadata.obj)', 2],
  ['contains(x, y) is x contains y', "contains(tags, 't1')", true],
  ['anything but a boolean counts as NULL in and', 'metadata.n and true', null],
  ['not takes booleans', 'not metadata.b', false],
  ['a NULL condition of ? : takes the second branch', "metadata.z ? 'yes' : 'no'", 'no'],
  ['the ternary binds weaker than or', "false or true ? 'yes' : 'no'", 'yes'],
  ['an array includes a value equal as JSON', 'metadata.list includes {l: 2, k: 1}', true],
  ['an object includes one of its values', "metadata.obj includes 'x'", true],
  ['an object includes members with equal values', 'metadata.obj includes {a: 1}', true],
  ['a scalar includes nothing', "metadata.s includes 't'", null],
  ['nothing includes NULL', 'metadata.list includes metadata.z', null],
  ['contains is includes', "metadata.list contains 'x'", true],
  [
    'NOT INCLUDES and NOT CONTAINS are their opposites',
    "tags NOT INCLUDES 't1' or tags NOT CONTAINS 't2'",
    false,
  ],
  ['ILIKE without % is a substring in any case', "metadata.upper ILIKE 'ex'", true],
  ['LIKE without % matches the whole string', "metadata.s LIKE 'tex'", false],
  ['LIKE with % matches the rest', "metadata.s LIKE 'te%'", true],
  [
    'NOT LIKE and NOT ILIKE are their opposites',
    "metadata.s NOT LIKE 'te%' or metadata.s NOT ILIKE 'TEXT'",
    false,
  ],
  ['backslash escapes % in a pattern', "metadata.percent LIKE '50\\\\% o%'", true],
  [
    'MATCH finds whole words next to each other in any case',
    "metadata.words MATCH 'QUICK brown'",
    true,
  ],
  ['MATCH does not find parts of words', "metadata.words MATCH 'quic'", false],
  ['a MATCH pattern without words matches nothing', "metadata.words MATCH '-'", false],
  ['interval moves a time', "created + interval 7 day > '2024-01-08T04:59:59Z'", true],
  ['a[0] and a[-1] index from both ends', 'metadata.list[-2]', 1],
  ['a["key with space"] indexes by key', 'metadata["key with space"].inner', 'found'],
  ['multi-part names take double quotes', 'metadata."key with space".inner', 'found'],
  ['a quoted single part is a string', '"metadata"', 'metadata'],
  ['50% is 0.5', 'metadata.n > 50%', true],
  ['10 % 3 is 1, also without spaces', '10%3 + 10 % 3', 2],
  ['in strings a quote is doubled', "metadata.quote = 'it''s'", true],
  ['in strings a quote is escaped', "metadata.quote = 'it\\'s'", true],
  ['| and -- and name: inside strings mean nothing', "'a | b -- c from: d'", 'a | b -- c from: d'],
  ['names of functions are path parts', 'metadata.hour', 3],
  ['function names are in any case', 'UPPER(metadata.s)', 'TEXT'],
  [
    'objects in JSON-like syntax, with keys in any quotes',
    '{a: 1, \'b\': "x"} = metadata.obj',
    true,
  ],
  ['coalesce takes the first value', 'coalesce(metadata.z, metadata.s)', 'text'],
  ['nullif', 'nullif(metadata.n, 7)', null],
  ['least and greatest skip NULL', 'least(metadata.n, metadata.z, 9)', 7],
  ['abs, floor and ceil', 'abs(-1) + floor(1.5) + ceil(1.5)', 4],
  [
    'json_extract takes a path, also of a string that holds JSON',
    "json_extract(metadata.json, 'a.b[0]')",
    5,
  ],
  ['to_string of a number is its digits', 'to_string(metadata.one)', '1'],
  ['to_string of an object is its JSON text', 'to_string(metadata.list[2])', '{"k":1,"l":2}'],
  ['to_number reads numeric strings', 'to_number(metadata.num)', 42],
  ['to_number reads booleans', 'to_number(metadata.b)', 1],
  ['to_integer truncates', "to_integer('-2.9')", -2],
  ['to_boolean reads "true"', "to_boolean('true')", true],
  ['to_date reads ISO 8601', "to_date('2024-01-01T05:00:00Z') = '2024-01-01T00:00:00Z'", true],
  ['to_datetime reads ISO 8601', 'to_datetime(metadata.time) = created', true],
  ['what cannot be converted is NULL', 'to_number(metadata.s)', null],
  ['bucketing functions truncate a time', "hour(metadata.time) = '2024-01-01T05:00:00Z'", true],
  ['weeks start on Monday', "week('2024-01-07T12:00:00Z') = '2024-01-01T00:00:00Z'", true],
  ['date_trunc is the function of its unit', "date_trunc('month', created) = month(created)", true],
  [
    'second, minute, year',
    "second(created) = minute(created) and year(created) = '2024-01-01'",
    true,
  ],
  ['now() and current_timestamp() are one time', 'now() = current_timestamp()', true],
  ['current_date() is the day of now()', 'current_date() = day(now())', true],
  ['search is a MATCH on the texts of a row', "search('hello')", true],
];

interface QueryRule {
  readonly rule: string;
  /** `$from` stands for the clause of the source. */
  readonly query: string;
  readonly data: readonly unknown[];
}

const query = (rule: string, text: string, ...data: readonly unknown[]): QueryRule => ({
  rule,
  query: text,
  data,
});

export const queryRules: readonly QueryRule[] = [
  query('a bare path prints the stored JSON', "select: metadata.list | $from | filter: id = 'a'", {
    list: ['x', 1, { k: 1, l: 2 }],
  }),
  query(
    'a path without alias is named by its last part',
    "select: metadata.obj.b | $from | filter: id = 'a'",
    { b: 'x' },
  ),
  query('no column that was not asked for', "select: id as only | $from | filter: id = 'a'", {
    only: 'a',
  }),
  query(
    'a filter keeps only true',
    'select: id | $from | filter: metadata.v > 1 | sort: id',
    { id: 'b' },
    { id: 'h' },
  ),
  query(
    'filters combine with and, or',
    "select: id | $from | filter: metadata.g = 'x' and (metadata.v = 2 or metadata.v = 3)",
    { id: 'b' },
  ),
  query(
    'sort: booleans, numbers, strings, then arrays and objects, NULL last',
    "select: id, metadata.v as v | $from | filter: id != 'a' | sort: v",
    { id: 'd', v: false },
    { id: 'b', v: 2 },
    { id: 'h', v: 10 },
    { id: 'c', v: '10' },
    { id: 'e', v: [1] },
    { id: 'f', v: { k: 1 } },
    { id: 'g', v: null },
  ),
  query(
    'sort desc has NULL last too',
    "select: id, metadata.v as v | $from | filter: id = 'b' or id = 'g' or id = 'h' | sort: v desc",
    { id: 'h', v: 10 },
    { id: 'b', v: 2 },
    { id: 'g', v: null },
  ),
  query(
    'dimensions and measures',
    'dimensions: metadata.g | measures: count(*) as n | $from',
    { g: 'x', n: 2 },
    { g: 'y', n: 4 },
    { g: null, n: 2 },
  ),
  query(
    'dimensions alone are a grouping without aggregates',
    'dimensions: metadata.g | $from',
    { g: 'x' },
    { g: 'y' },
    { g: null },
  ),
  query('measures alone are aggregates without a grouping', 'measures: count(1) as n | $from', {
    n: 8,
  }),
  query('an aggregate in select without dimensions is a measure', 'select: count(*) as n | $from', {
    n: 8,
  }),
  query(
    'measures over no rows give one row: count is 0, the others NULL',
    'measures: count(*) as n, sum(metadata.n) as s | $from | filter: false',
    { n: 0, s: null },
  ),
  query(
    'avg and sum use numbers and booleans as 0/1 and skip the rest',
    'measures: sum(metadata.v) as s, avg(metadata.v) as a | $from',
    { s: 12, a: 4 },
  ),
  query(
    'min and max order as sort does and skip NULL',
    'measures: min(metadata.v) as low, max(metadata.v) as high | $from',
    { low: false, high: { k: 1 } },
  ),
  query(
    'percentile interpolates between numbers',
    'measures: percentile(metadata.v, 0.5) as p | $from',
    { p: 6 },
  ),
  query('count(x) counts what is not NULL', 'measures: count(metadata.v) as n | $from', { n: 6 }),
  query('count_distinct compares as JSON', 'measures: count_distinct(metadata.g) as n | $from', {
    n: 2,
  }),
  query(
    'any_value is not NULL while a value exists',
    'measures: any_value(metadata.n) as n | $from',
    { n: 7 },
  ),
  query(
    'conditions are counted',
    "measures: count(metadata.g = 'x' ? 1 : null) as n, sum(metadata.g = 'x') as m | $from",
    { n: 2, m: 2 },
  ),
  query(
    'final_filter is a filter on the groups',
    'dimensions: metadata.g | measures: count(*) as n | $from | final_filter: n > 2',
    { g: 'y', n: 4 },
  ),
  query(
    'limit bounds the rows',
    'select: id | $from | sort: id | limit: 2',
    { id: 'a' },
    { id: 'b' },
  ),
  query(
    'sample takes a count',
    'select: 1 as one | $from | sample: 3',
    { one: 1 },
    { one: 1 },
    { one: 1 },
  ),
  query('sample takes a percentage', 'select: id | $from | sample: 0%'),
  query(
    'preview_length cuts long values',
    "select: output | $from | filter: id = 'a' | preview_length: 5",
    { output: 'Hello' },
  ),
  query(
    'unpivot makes a row of every member',
    "select: name, value | $from | filter: id = 'a' | unpivot: scores as (name, value)",
    { name: 's', value: 0.5 },
  ),
  query(
    'pivot makes columns of values',
    'dimensions: metadata.g | measures: count(*) as n | $from | filter: metadata.g IS NOT NULL | pivot: n',
    { x_n: 2, y_n: 4 },
  ),
  query(
    'clauses come in any order, with a leading |, on lines of their own, with comments and keywords in any case',
    "| FILTER: id = 'a' -- a comment\n$from\nSELECT:\n  id\n",
    { id: 'a' },
  ),
  query(
    'the shape traces has all rows of each trace with a matching row',
    "select: id | $shaped traces | filter: id = 'b' | sort: id",
    { id: 'a' },
    { id: 'b' },
  ),
  query(
    'the shape spans has the rows that match',
    "select: id | $shaped spans | filter: id = 'b'",
    { id: 'b' },
  ),
  query(
    'the shape summary has one row per trace',
    "select: id, scores | $shaped summary | filter: id = 'a'",
    { id: 'a', scores: { s: 0.75 } },
  ),
  query('an alias can be used in the filter', 'select: metadata.v as w | $from | filter: w = 2', {
    w: 2,
  }),
  query(
    'sort items can be expressions',
    'select: id | $from | filter: metadata.v > 0 | sort: -metadata.v',
    { id: 'h' },
    { id: 'b' },
  ),
  query(
    'literals: strings, numbers, booleans, null, arrays and objects',
    "select: 'a' as s, 1.5 as n, true as b, null as z, [1, 'x'] as l, {k: 1} as o | $from | limit: 1",
    { s: 'a', n: 1.5, b: true, z: null, l: [1, 'x'], o: { k: 1 } },
  ),
];

/** Queries that are refused, and a part of the sentence that says why. */
export const refusedQueries: readonly (readonly [rule: string, query: string, text: string])[] = [
  ['a query has select, or dimensions and measures', '$from', 'select'],
  ['a query has a source', 'select: id', 'from'],
  ['select and measures do not go together', 'select: id | measures: count(*) | $from', 'measures'],
  ['a clause is given once', 'select: id | select: input | $from', 'twice'],
  ['a measure has an aggregate', 'measures: metadata.v | $from', 'aggregate'],
  ['an aggregate is not in a filter', 'select: id | $from | filter: count(*) > 1', 'aggregate'],
  ['aliases are not given twice', 'select: id as x, input as x | $from', 'x'],
  ['a name in sort is known', 'select: id | $from | sort: nowhere', 'nowhere'],
  ['a query that does not parse says line and column', 'select: id |\n$from | filter: (', 'line 2'],
];

/** `from` by the ways in which a source is written. */
export const sourceRules: readonly (readonly [rule: string, source: string])[] = [
  ['ids in single quotes', "experiment('$id')"],
  ['ids in double quotes', 'experiment("$id")'],
  ['ids bare', 'experiment($id)'],
  ['several ids in one source', "experiment('$id', '$id')"],
  ['a project is all its objects', "project('$project')"],
];
