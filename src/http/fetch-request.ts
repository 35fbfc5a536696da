// Validated body of a fetch -> fetch request. The values of filters keep exact numbers.
import type { Static } from 'typebox';
import type { JsonObject, JsonValue } from '../json/json.js';
import { memberOf, plainJson } from '../json/tree.js';
import type { FetchBody, FetchRequest } from '../schema/request.js';

export function fetchRequest(body: JsonValue): FetchRequest {
  const { filters, ...rest } = plainJson(body) as Static<typeof FetchBody>;
  if (filters === undefined || filters === null) return rest;
  const exact = memberOf(body as JsonObject, 'filters') as readonly JsonObject[];
  return {
    ...rest,
    filters: filters.map(({ type, path }, index) => ({
      type,
      path,
      value: memberOf(exact[index] ?? {}, 'value') ?? null,
    })),
  };
}
