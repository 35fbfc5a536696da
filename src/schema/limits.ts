// Limits on the parts of a request. Schemas, checks, the OpenAPI document and the manual use these numbers.

interface RequestLimit {
  readonly max: number;
  /** What the limit counts; the manual shows this text. */
  readonly meaning: string;
}

export const limits = {
  events: {
    max: 100_000,
    meaning:
      'events of an insert, rows of a `POST /logs3`, spans of an export, records that a restore changes',
  },
  objects: {
    max: 1_000,
    meaning:
      'objects of each kind in a `POST /v1/insert`, parents of the spans of an export, ids of a `POST /api/self/get_object_info`',
  },
  attachments: {
    max: 10_000,
    meaning: 'attachments that the events of a request name; one counts again for each object',
  },
  functions: { max: 500, meaning: 'functions of a `POST /insert-functions`' },
  commits: { max: 10_000, meaning: '`ancestor_commits` of a new experiment' },
  deletions: { max: 10_000, meaning: 'elements to remove in an `_array_delete`' },
  feedback: { max: 1_000, meaning: 'items of `feedback`' },
  purgedIds: { max: 10_000, meaning: '`ids` of a purge' },
  filters: { max: 100, meaning: '`filters` of a fetch' },
  pathSteps: { max: 100, meaning: 'names in the `path` of a filter' },
  ids: { max: 300, meaning: '`ids` of a list' },
  texts: {
    max: 1_000,
    meaning:
      '`tags`, `span_parents`, `_merge_paths`, `_array_delete`, and names in one path of the last two',
  },
  members: {
    max: 1_000,
    meaning: 'permissions, roles, groups, users or ACLs in one list of a body, a role or a group',
  },
  values: {
    max: 1_000_000,
    meaning: 'JSON values (members, elements) in an event',
  },
  spanValues: {
    max: 100_000,
    meaning: 'JSON values in a span, a resource or a scope of an export',
  },
  queryValues: { max: 50_000, meaning: 'JSON values in the body of a query' },
  objectValues: {
    max: 20_000,
    meaning: 'JSON values in a stored object: a project, an experiment, a prompt and so on',
  },
  bodyValues: { max: 100_000, meaning: 'JSON values in any other body' },
  names: {
    max: 1_000,
    meaning: 'characters of the name or slug of an object, or of the name of a service account',
  },
  descriptions: { max: 10_000, meaning: 'characters of the `description` of a role or a group' },
  parquetValues: {
    max: 10_000_000,
    meaning: 'values in a Parquet file of events, of which null is one',
  },
  digits: { max: 10_000, meaning: 'characters of a number' },
} as const satisfies Record<string, RequestLimit>;

/** Those that apply to any JSON of a body. To copy all of `limits` instead takes 17 µs, and each request copies them. */
export const jsonLimits = { values: limits.values, digits: limits.digits };

/** The keyword of an array schema for this limit. */
export const atMost = ({ max }: RequestLimit) => ({ maxItems: max });

/** The error for more elements than `max`, without the name of the field. */
export const tooMany = (max: number, count: number): string =>
  `expected at most ${max} elements, got ${count}`;

/** The error for a text of more characters than `max`, without the name of the field. */
export const tooLong = (max: number, length: number): string =>
  `expected at most ${max} characters, got ${length}`;

/** The number of audit log entries that a query may read. */
export const auditEntriesMax = 100_000;

const kilobyte = 2 ** 10;
const megabyte = 2 ** 20;

/** The length of the JSON of the prompts and functions that a query may read, in characters. */
export const promptCharactersMax = 64 * megabyte;

/** The size of the request line and the headers together. */
export const headerBytesMax = 16 * kilobyte;

/** The requests on one connection that are not answered yet. */
export const pipelinedMax = 16;

/** The size of a body other than an insert into one object. */
export const jsonBodyBytesMax = 16 * megabyte;

/** The size of the JSON text of a stored object: a project, an experiment, a prompt and so on. */
export const objectBytesMax = 16 * megabyte;

/** The size of a body without a key. */
export const anonymousBodyBytesMax = megabyte;

/** The size of the text of an event in a body, unless the store takes larger events. */
export const eventTextBytesMax = 64 * megabyte;
