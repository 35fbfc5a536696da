// Reads the spans of an export request one at a time, each with its resource and scope.
import { RequestError, badRequest } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import type { Encoding } from '../schema/otlp.js';
import { jsonOutline, levelsAround, parseRange } from './json-outline.js';
import type { MessageName } from './messages.js';
import { resourceMembers, scopeMembers, type Members } from './origin.js';
import type { Outline, Range, ResourceSource, ScopeSource } from './outline.js';
import { requestBody, readMessage, UnreadableMessage } from './protobuf.js';
import { protobufOutline } from './protobuf-outline.js';
import { spanOf, type OtlpSpan } from './span.js';

export interface ReadSpan {
  /** The path of the span in the body. */
  readonly path: string;
  readonly span: OtlpSpan;
  /** The members of `context.otel` from its resource and scope. */
  readonly origin: Members;
  /** The size of these members in the body. */
  readonly originBytes: number;
}

export interface RefusedSpan {
  readonly path: string;
  readonly refusal: RequestError;
}

/** Why a request without spans may be meant to have some. */
export interface SpanWarning {
  readonly path: string;
  readonly warning: string;
}

/** The reader of an encoding. */
interface Format {
  outline(bytes: Buffer): Outline;
  read(
    bytes: Buffer,
    range: Range,
    kind: 'resource' | 'scope' | 'span',
    path: () => string,
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
    read: (bytes, range, kind, path) => readMessage(messageNames[kind], bytes, range, path),
  },
};

const bytesOf = (range: Range | null): number => (range === null ? 0 : range.end - range.start);

const megabyte = 2 ** 20;

/** The error for a span, or its text in a request, of more than `max` bytes. */
export const spanTooLarge = (bytes: number, max: number): RequestError =>
  badRequest(
    `the span has ${Math.ceil(bytes / megabyte)} MB, the limit is ${Math.floor(max / megabyte)} MB`,
  );

/** Adds the path to an error. */
function atPath<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    throw badRequest(`${path}: ${error.message}`);
  }
}

function checkedSpan(value: JsonValue, path: string, origin: Origin): ReadSpan | RefusedSpan {
  try {
    return { path, span: spanOf(value), origin: origin.members, originBytes: origin.bytes };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { path, refusal: error };
  }
}

interface Origin {
  readonly members: Members;
  readonly bytes: number;
}

/** A body and its reader. */
interface Body {
  readonly bytes: Buffer;
  readonly format: Format;
  readonly spanBytesMax: number;
}

function readPart(
  body: Body,
  range: Range | null,
  kind: 'resource' | 'scope',
  path: string,
): JsonValue {
  if (range === null) return null;
  return body.format.read(body.bytes, range, kind, () => `${path}.${kind}`);
}

function originOfResource(body: Body, source: ResourceSource, path: string): Origin {
  const value = readPart(body, source.resource, 'resource', path);
  const members = atPath(path, () => resourceMembers(value, source.schemaUrl));
  return { members, bytes: bytesOf(source.resource) };
}

function originOfScope(body: Body, source: ScopeSource, outer: Origin, path: string): Origin {
  const value = readPart(body, source.scope, 'scope', path);
  const own = atPath(path, () => scopeMembers(value, source.schemaUrl));
  return {
    members: new Map([...outer.members, ...own]),
    bytes: outer.bytes + bytesOf(source.scope),
  };
}

/** A message that cannot be read is refused alone, since the outline has found its end; invalid JSON refuses the request. */
function readSpan(body: Body, range: Range, path: string, origin: Origin): ReadSpan | RefusedSpan {
  const { bytes, format, spanBytesMax } = body;
  const size = bytesOf(range);
  if (size > spanBytesMax) return { path, refusal: spanTooLarge(size, spanBytesMax) };
  try {
    const value = format.read(bytes, range, 'span', () => path);
    return checkedSpan(value, path, origin);
  } catch (error) {
    if (!(error instanceof UnreadableMessage)) throw error;
    return { path, refusal: error };
  }
}

function* readScope(
  body: Body,
  source: ScopeSource,
  outer: Origin,
  path: string,
): Generator<ReadSpan | RefusedSpan, void> {
  const origin = originOfScope(body, source, outer, path);
  for (const [index, range] of source.spans.entries())
    yield readSpan(body, range, `${path}.spans[${index}]`, origin);
}

/**
 * Yields spans, refused spans and warnings.
 * @param spanBytesMax a span with a longer text is refused before it is read
 * @throws RequestError 400 for an invalid body, or one that exceeds the limits
 */
export function* readSpans(
  bytes: Buffer,
  encoding: Encoding,
  spanBytesMax = Infinity,
): Generator<ReadSpan | RefusedSpan | SpanWarning, void> {
  const body = { bytes, format: formats[encoding], spanBytesMax };
  const outline = body.format.outline(bytes);
  const { resources } = outline;
  const warning = outline.warning();
  if (warning !== null) yield { path: requestBody, warning };
  for (const [index, resource] of resources.entries()) {
    const path = `resourceSpans[${index}]`;
    const origin = originOfResource(body, resource, path);
    for (const [inner, scope] of resource.scopes.entries())
      yield* readScope(body, scope, origin, `${path}.scopeSpans[${inner}]`);
  }
}
