// Where the resources, scopes and spans of a request body are: found before any of them is read, since a resource may
// stand behind its spans.
import { badRequest } from '../errors.js';
import { limits } from '../schema/limits.js';

/** Bytes of the body, from `start` up to `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface ScopeSource {
  scope: Range | null;
  schemaUrl: string;
  readonly spans: Range[];
}

export interface ResourceSource {
  resource: Range | null;
  schemaUrl: string;
  readonly scopes: ScopeSource[];
}

/** Refuses more spans than one request may have, and more resources and scopes than spans. */
export interface Outline {
  readonly resources: readonly ResourceSource[];
  openResource(): ResourceSource;
  openScope(resource: ResourceSource): ScopeSource;
  addSpan(scope: ScopeSource, range: Range): void;
}

const { max } = limits.events;

const tooMany = (what: string) =>
  badRequest(`request body: expected at most ${max} ${what}, got more`);

export function emptyOutline(): Outline {
  const resources: ResourceSource[] = [];
  let groups = 0;
  let spans = 0;
  const countGroup = () => {
    groups += 1;
    if (groups > max) throw tooMany('resources and scopes');
  };
  return {
    resources,
    openResource: () => {
      countGroup();
      const source = { resource: null, schemaUrl: '', scopes: [] };
      resources.push(source);
      return source;
    },
    openScope: ({ scopes }) => {
      countGroup();
      const source = { scope: null, schemaUrl: '', spans: [] };
      scopes.push(source);
      return source;
    },
    addSpan: (scope, { start, end }) => {
      spans += 1;
      if (spans > max) throw tooMany('spans');
      scope.spans.push({ start, end });
    },
  };
}
