// The ranges of resources, scopes and spans in a request body. They are found before any of them is read, since a resource may
// follow its spans.
import { badRequest } from '../errors.js';
import { limits } from '../schema/limits.js';

/** The bytes of the body from `start` to `end`. */
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

/**
 * Names that clients send instead of those of the JSON mapping: of other versions, in the spelling of protobuf, and of the requests for logs and
 * metrics. A message with unknown members is valid, so that they are named only if the request has no span.
 */
const misnamed: Readonly<Record<string, readonly string[]>> = {
  resourceSpans: [
    'resource_spans',
    'resourceLogs',
    'resource_logs',
    'resourceMetrics',
    'resource_metrics',
  ],
  scopeSpans: ['scope_spans', 'instrumentationLibrarySpans', 'instrumentation_library_spans'],
};

/** Limits the spans of a request, and its resources and scopes to the same number. */
export interface Outline {
  readonly resources: readonly ResourceSource[];
  openResource(): ResourceSource;
  openScope(resource: ResourceSource): ScopeSource;
  addSpan(scope: ScopeSource, range: Range): void;
  /** Notes a member that is ignored where the member `known` is expected. */
  ignore(name: string, known: string, path: string): void;
  /** Why the request may have no spans; null if it has some, or for no reason. */
  warning(): string | null;
}

const { max } = limits.events;

const tooMany = (what: string) =>
  badRequest(`request body: expected at most ${max} ${what}, got more`);

export function emptyOutline(): Outline {
  const resources: ResourceSource[] = [];
  let groups = 0;
  let spans = 0;
  let ignored: string | null = null;
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
    ignore: (name, known, path) => {
      if (misnamed[known]?.includes(name) === true)
        ignored ??= `${path}: expected ${known}, got ${name}; the request has no spans`;
    },
    warning: () => (spans === 0 ? ignored : null),
  };
}
