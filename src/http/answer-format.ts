// The format of the answer to a query that the header Accept asks for.
import Negotiator from 'negotiator';
import type { QueryRequest } from '../schema/request.js';

/** Content types by preference: the first is that of a client that takes anything. */
const formats = {
  'application/json': 'json',
  'application/jsonl': 'jsonl',
  'application/x-ndjson': 'jsonl',
  'text/csv': 'csv',
  'application/vnd.apache.parquet': 'parquet',
  'application/vnd.apache.arrow.stream': 'arrow',
} as const satisfies Readonly<Record<string, QueryRequest['fmt']>>;

const types = Object.keys(formats);

export const namesFormat = (type: string): boolean => Object.hasOwn(formats, type);

/** @param accept the header, or '' */
export function inFormat(request: QueryRequest, accept: string): QueryRequest {
  if (accept === '' || (request.fmt ?? null) !== null) return request;
  const type = new Negotiator({ headers: { accept } }).mediaType(types);
  return { ...request, fmt: formats[type as keyof typeof formats] ?? 'json' };
}
