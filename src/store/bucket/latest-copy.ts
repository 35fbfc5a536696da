// `manifest/latest.json`: names the copy of `meta.duckdb` that a restore begins with.
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';

export const manifestCopies = 'manifest/';
export const latestKey = `${manifestCopies}latest.json`;

const formatVersion = 1;

const latestSchema = Type.Object({
  format: Type.Literal(formatVersion),
  /** The id of the store, as in `owner.json`. */
  store: Type.String(),
  key: Type.String({ pattern: '^manifest/[\\w-]+\\.duckdb$' }),
  bytes: Type.Integer(),
  crc32: Type.Integer(),
  /** The last transaction of its events: it has all events up to it. */
  transaction: Type.String({ pattern: '^\\d+$' }),
  /** What was acknowledged until then is in it. */
  time: Type.String(),
});

export type LatestCopy = Static<typeof latestSchema>;

export const isLatestCopy = (value: unknown): value is LatestCopy => Check(latestSchema, value);

export const latestCopyOf = (copy: Omit<LatestCopy, 'format'>): LatestCopy => ({
  format: formatVersion,
  ...copy,
});
