// Finds the outline of an ExportTraceServiceRequest in protobuf.
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { containers } from './messages.js';
import { emptyOutline, type Outline, type ResourceSource, type ScopeSource } from './outline.js';
import {
  beyondMessage,
  checkWireType,
  endOfField,
  protobufError,
  readText,
  skipField,
} from './protobuf.js';

interface Walk {
  readonly reader: BinaryReader;
  readonly bytes: Buffer;
  readonly outline: Outline;
}

/** The number of fields between two pauses. */
const stepFields = 1000;

/** Yields the number of each known field up to `end`, with the reader before its length; null means that the caller may pause. */
function* fieldsUpTo({ reader }: Walk, end: number, knownMax: number): Generator<number | null> {
  let count = 0;
  while (reader.pos < end) {
    count += 1;
    if (count % stepFields === 0) yield null;
    const [number, wireType] = reader.tag();
    if (number > knownMax) {
      skipField(reader, wireType);
      continue;
    }
    checkWireType(wireType, WireType.LengthDelimited, `field ${number}`);
    yield number;
  }
  if (reader.pos > end) throw beyondMessage();
}

function rangeOf({ reader }: Walk, outerEnd: number) {
  const end = endOfField(reader, outerEnd);
  const range = { start: reader.pos, end };
  reader.pos = end;
  return range;
}

function* walkScope(walk: Walk, end: number, source: ScopeSource): Generator<null> {
  const known = containers.scopeSpans;
  for (const number of fieldsUpTo(walk, end, known.schemaUrl)) {
    if (number === null) yield null;
    else if (number === known.scope) source.scope = rangeOf(walk, end);
    else if (number === known.schemaUrl) source.schemaUrl = readText(walk.reader, walk.bytes, end);
    else walk.outline.addSpan(source, rangeOf(walk, end));
  }
}

function* walkResource(walk: Walk, end: number, source: ResourceSource): Generator<null> {
  const known = containers.resourceSpans;
  for (const number of fieldsUpTo(walk, end, known.schemaUrl)) {
    if (number === null) yield null;
    else if (number === known.resource) source.resource = rangeOf(walk, end);
    else if (number === known.schemaUrl) source.schemaUrl = readText(walk.reader, walk.bytes, end);
    else {
      const scope = walk.outline.openScope(source);
      yield* walkScope(walk, endOfField(walk.reader, end), scope);
    }
  }
}

/**
 * The caller may pause after each step.
 * @throws RequestError 400 for an invalid message, or too many spans
 */
export function* protobufOutline(bytes: Buffer): Generator<null, Outline> {
  const walk = { reader: new BinaryReader(bytes), bytes, outline: emptyOutline() };
  const { reader, outline } = walk;
  try {
    for (const number of fieldsUpTo(walk, bytes.length, containers.request.resourceSpans)) {
      yield null;
      if (number === null) continue;
      const resource = outline.openResource();
      yield* walkResource(walk, endOfField(reader, bytes.length), resource);
    }
    return outline;
  } catch (error) {
    throw protobufError(error, reader);
  }
}
