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

/** Yields the number of each known field up to `end`, with the reader before its length. */
function* fieldsUpTo({ reader }: Walk, end: number, knownMax: number): Generator<number> {
  while (reader.pos < end) {
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

function walkScope(walk: Walk, end: number, source: ScopeSource): void {
  const known = containers.scopeSpans;
  for (const number of fieldsUpTo(walk, end, known.schemaUrl)) {
    if (number === known.scope) source.scope = rangeOf(walk, end);
    else if (number === known.schemaUrl) source.schemaUrl = readText(walk.reader, walk.bytes, end);
    else walk.outline.addSpan(source, rangeOf(walk, end));
  }
}

function walkResource(walk: Walk, end: number, source: ResourceSource): void {
  const known = containers.resourceSpans;
  for (const number of fieldsUpTo(walk, end, known.schemaUrl)) {
    if (number === known.resource) source.resource = rangeOf(walk, end);
    else if (number === known.schemaUrl) source.schemaUrl = readText(walk.reader, walk.bytes, end);
    else {
      const scope = walk.outline.openScope(source);
      walkScope(walk, endOfField(walk.reader, end), scope);
    }
  }
}

/** @throws RequestError 400 for an invalid message, or too many spans */
export function protobufOutline(bytes: Buffer): Outline {
  const walk = { reader: new BinaryReader(bytes), bytes, outline: emptyOutline() };
  const { reader, outline } = walk;
  try {
    for (const _ of fieldsUpTo(walk, bytes.length, containers.request.resourceSpans)) {
      const resource = outline.openResource();
      walkResource(walk, endOfField(reader, bytes.length), resource);
    }
    return outline;
  } catch (error) {
    throw protobufError(error, reader);
  }
}
