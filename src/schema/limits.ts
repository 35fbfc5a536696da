// How many parts one request may have. The schemas, the checks, the reference and the README take the numbers from here.

interface RequestLimit {
  readonly max: number;
  /** What is counted, as the README says it. */
  readonly meaning: string;
}

export const limits = {
  events: {
    max: 100_000,
    meaning: 'events of one insert, rows of one `POST /logs3`, spans of one export',
  },
  objects: {
    max: 1_000,
    meaning:
      'objects that one `POST /v1/insert` writes to, for each kind, and parents of the spans of one export',
  },
  feedback: { max: 1_000, meaning: 'items of `feedback`' },
  filters: { max: 100, meaning: '`filters` of one fetch' },
  pathSteps: { max: 100, meaning: 'names in the `path` of a filter' },
  ids: { max: 300, meaning: '`ids` of one list' },
  texts: {
    max: 1_000,
    meaning: '`tags`, `span_parents`, and `_merge_paths` and the names in each of them',
  },
  members: {
    max: 1_000,
    meaning:
      'permissions, roles, groups, users and ACLs in one list of a body that sets or changes them',
  },
  values: {
    max: 1_000_000,
    meaning: 'JSON values (members, elements) in one event or span, or in another body',
  },
  queryValues: { max: 50_000, meaning: 'JSON values in the body of a query' },
  digits: { max: 10_000, meaning: 'characters of one number' },
} as const satisfies Record<string, RequestLimit>;

/** Keyword of an array schema. */
export const atMost = ({ max }: RequestLimit) => ({ maxItems: max });

/** The sentence that refuses more, to follow the name of the field. */
export const tooMany = (max: number, count: number): string =>
  `expected at most ${max} elements, got ${count}`;

/** Entries of the audit log that one query may read. */
export const auditEntriesMax = 100_000;

const kilobyte = 2 ** 10;
const megabyte = 2 ** 20;

/** The request line and the headers together. */
export const headerBytesMax = 16 * kilobyte;

/** A body that is not an insert into one object. */
export const jsonBodyBytesMax = 16 * megabyte;

/** A body that comes without a key. */
export const anonymousBodyBytesMax = megabyte;
