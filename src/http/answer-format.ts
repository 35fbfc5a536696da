// The format of the answer to a query that the header Accept asks for.
import Negotiator from 'negotiator';
import { formatsByType } from '../schema/query-format.js';
import type { QueryRequest } from '../schema/request.js';

const types = [...formatsByType.keys()];

/** @param accept the header, or '' */
export function inFormat(request: QueryRequest, accept: string): QueryRequest {
  if (accept === '' || (request.fmt ?? null) !== null) return request;
  const type = new Negotiator({ headers: { accept } }).mediaType(types);
  return { ...request, fmt: formatsByType.get(type ?? '') ?? 'json' };
}
