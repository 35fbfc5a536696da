// The body of an export request -> its spans, one at a time, each with what its resource and its scope say.
import { RequestError, badRequest } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import type { Encoding } from '../schema/otlp.js';
import { jsonOutline, levelsAround, parseRange } from './json-outline.js';
import type { MessageName } from './messages.js';
import { resourceMembers, scopeMembers, type Members } from './origin.js';
import type { Outline, Range, ResourceSource, ScopeSource } from './outline.js';
import { readMessage } from './protobuf.js';
import { protobufOutline } from './protobuf-outline.js';
import { spanOf, type OtlpSpan } from './span.js';

export interface ReadSpan {
  /** Where it is in the body. */
  readonly place: string;
  readonly span: OtlpSpan;
  /** Members of `context.otel` that it shares with other spans. */
  readonly origin: Members;
  /** Size of these members in the body. */
  readonly originBytes: number;
}

export interface RefusedSpan {
  readonly place: string;
  readonly refusal: RequestError;
}

/** How one encoding is read. */
interface Format {
  outline(bytes: Buffer): Generator<null, Outline>;
  read(
    bytes: Buffer,
    range: Range,
    kind: 'resource' | 'scope' | 'span',
    place: () => string,
  ): JsonValue;
}

const messageNames: Readonly<Record<'resource' | 'scope' | 'span', MessageName>> = {
  resource: 'Resource',
  scope: 'InstrumentationScope',
  span: 'Span',
};

const formats: Readonly<Record<Encoding, Format>> = {
  json: {
    outline: jsonOutline,
    read: (bytes, range, kind) => parseRange(bytes, range, levelsAround[kind]),
  },
  protobuf: {
    outline: protobufOutline,
    read: (bytes, range, kind, place) => readMessage(messageNames[kind], bytes, range, place),
  },
};

const bytesOf = (range: Range | null): number => (range === null ? 0 : range.end - range.start);

/** The value, or a refusal that names the place. */
function atPlace<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    throw badRequest(`${place}: ${error.message}`);
  }
}

function readSpan(value: JsonValue, place: string, origin: Origin): ReadSpan | RefusedSpan {
  try {
    return { place, span: spanOf(value), origin: origin.members, originBytes: origin.bytes };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { place, refusal: error };
  }
}

interface Origin {
  readonly members: Members;
  readonly bytes: number;
}

/** One body that is read. */
interface Body {
  readonly bytes: Buffer;
  readonly format: Format;
}

function readPart(
  { bytes, format }: Body,
  range: Range | null,
  kind: 'resource' | 'scope',
  place: string,
): JsonValue {
  return range === null ? null : format.read(bytes, range, kind, () => `${place}.${kind}`);
}

function originOfResource(body: Body, source: ResourceSource, place: string): Origin {
  const value = readPart(body, source.resource, 'resource', place);
  const members = atPlace(place, () => resourceMembers(value, source.schemaUrl));
  return { members, bytes: bytesOf(source.resource) };
}

function originOfScope(body: Body, source: ScopeSource, outer: Origin, place: string): Origin {
  const value = readPart(body, source.scope, 'scope', place);
  const own = atPlace(place, () => scopeMembers(value, source.schemaUrl));
  return {
    members: new Map([...outer.members, ...own]),
    bytes: outer.bytes + bytesOf(source.scope),
  };
}

function* readScope(
  body: Body,
  source: ScopeSource,
  outer: Origin,
  place: string,
): Generator<ReadSpan | RefusedSpan | null, void> {
  const origin = originOfScope(body, source, outer, place);
  yield null;
  for (const [index, range] of source.spans.entries()) {
    const name = `${place}.spans[${index}]`;
    const value = body.format.read(body.bytes, range, 'span', () => name);
    yield null;
    yield readSpan(value, name, origin);
  }
}

/**
 * Yields a span, one that cannot be used, or null. The caller may pause after each step.
 * @throws RequestError 400 for a body that is broken, or holds more than the limits
 */
export function* readSpans(
  bytes: Buffer,
  encoding: Encoding,
): Generator<ReadSpan | RefusedSpan | null, void> {
  const body = { bytes, format: formats[encoding] };
  const { resources } = yield* body.format.outline(bytes);
  for (const [index, resource] of resources.entries()) {
    const place = `resourceSpans[${index}]`;
    const origin = originOfResource(body, resource, place);
    yield null;
    for (const [inner, scope] of resource.scopes.entries())
      yield* readScope(body, scope, origin, `${place}.scopeSpans[${inner}]`);
  }
}
