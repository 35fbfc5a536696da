// Avro object container files, by another reader than the package that writes them.
import { avroMetadata, avroRead } from 'icebird';

export interface AvroContent {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

export function avroContent(content: Buffer): AvroContent {
  const view = new DataView(content.buffer, content.byteOffset, content.length);
  const reader = { view, offset: 0 };
  const { metadata, syncMarker } = avroMetadata(reader);
  const records = avroRead({ reader, metadata, syncMarker }) as Record<string, unknown>[];
  return { metadata, records };
}
