// Avro object container files.
import type { Schema } from 'avsc';

/** The file with these records. `metadata` is what its header has besides the schema. */
export async function avroFile(
  schema: Schema,
  metadata: Readonly<Record<string, string>>,
  records: Iterable<object>,
): Promise<Buffer> {
  const { default: avro } = await import('avsc');
  const options = {
    // A file without records has its header, too.
    writeHeader: true,
    // The types of the package lack it.
    metadata: Object.fromEntries(
      Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text)]),
    ),
  };
  const encoder = new avro.streams.BlockEncoder(schema, options);
  for (const record of records) encoder.write(record);
  encoder.end();
  const chunks: Buffer[] = [];
  for await (const chunk of encoder) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
