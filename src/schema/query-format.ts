// The formats of answers to queries. The parameter `fmt`, the header Accept, the reference and the names of files follow from this table.
import { Type } from 'typebox';
import { file } from './answer.js';

interface QueryFormatFacts {
  /** The content type of the answer, and others by which the header Accept names the format. */
  readonly contentTypes: readonly [string, ...string[]];
  /** Whether the answer is text in UTF-8. */
  readonly isText?: true;
  /** The ending of the name under which browsers save the answer. */
  readonly ending: string;
  /** Whether columns have types. */
  readonly isTyped?: true;
  readonly description: string;
}

/** The first is that of a client that takes anything. */
export const queryFormats = {
  json: {
    contentTypes: ['application/json'],
    isText: true,
    ending: 'json',
    description: 'JSON with a schema of the rows.',
  },
  jsonl: {
    contentTypes: ['application/x-ndjson', 'application/jsonl'],
    isText: true,
    ending: 'jsonl',
    description: 'The rows as JSON, one per line.',
  },
  csv: {
    contentTypes: ['text/csv'],
    isText: true,
    ending: 'csv',
    description: 'The rows as CSV with a header.',
  },
  parquet: {
    contentTypes: ['application/vnd.apache.parquet'],
    ending: 'parquet',
    isTyped: true,
    description: 'A Parquet file.',
  },
  arrow: {
    contentTypes: ['application/vnd.apache.arrow.stream'],
    ending: 'arrows',
    isTyped: true,
    description: 'An Arrow IPC stream.',
  },
} as const satisfies Readonly<Record<string, QueryFormatFacts>>;

export type QueryFormat = keyof typeof queryFormats;

const formats = Object.entries(queryFormats) as [QueryFormat, QueryFormatFacts][];

export const isTyped = (format: QueryFormat): boolean =>
  (queryFormats[format] as QueryFormatFacts).isTyped === true;

/** The value of the header Content-Type. */
export function contentTypeOf(format: QueryFormat): string {
  const { contentTypes, isText }: QueryFormatFacts = queryFormats[format];
  return isText === true ? `${contentTypes[0]}; charset=utf-8` : contentTypes[0];
}

/** The formats by the content types that name them. */
export const formatsByType: ReadonlyMap<string, QueryFormat> = new Map(
  formats.flatMap(([format, { contentTypes }]) =>
    contentTypes.map((type): [string, QueryFormat] => [type, format]),
  ),
);

export const QueryFormatName = Type.Unsafe<QueryFormat>(
  Type.Union(formats.map(([format]) => Type.Literal(format))),
);

/** The answers of a query in formats other than JSON, by content type. */
export const queryFiles = Object.fromEntries(
  formats
    .filter(([format]) => format !== 'json')
    .map(([, { contentTypes, description }]) => [contentTypes[0], file(description)]),
);
