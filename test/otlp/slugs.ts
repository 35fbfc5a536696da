// Exported spans as the Braintrust SDKs write them, for tests.

const bytesOf = (hex: string) => Buffer.from(hex.replaceAll('-', ''), 'hex');

/** Entries of a field number and an id in hex, then JSON with the rest. */
export const slugOf = (
  version: 3 | 4,
  objectType: number,
  entries: readonly (readonly [number, string])[],
  rest?: object,
): string =>
  Buffer.concat([
    Buffer.from([version, objectType, entries.length]),
    ...entries.flatMap(([number, id]) => [Buffer.from([number]), bytesOf(id)]),
    Buffer.from(rest === undefined ? '' : JSON.stringify(rest)),
  ]).toString('base64');

interface Version2 {
  readonly objectId?: string;
  readonly objectArguments?: object;
  readonly spanId?: string;
  readonly rootSpanId?: string;
}

export function slugOfVersion2(objectType: number, parts: Version2): string {
  const { objectId, objectArguments, spanId, rootSpanId } = parts;
  const json = Buffer.from(JSON.stringify(objectArguments ?? {}));
  const length = Buffer.alloc(4);
  length.writeInt32BE(json.length);
  const flags = [objectId, objectArguments, spanId, undefined].map((part) =>
    part === undefined ? 0 : 1,
  );
  return Buffer.concat([
    Buffer.from([2, objectType, ...flags]),
    objectId === undefined ? Buffer.alloc(0) : bytesOf(objectId),
    ...(objectArguments === undefined ? [] : [length, json]),
    ...(spanId === undefined ? [] : [bytesOf(spanId), bytesOf(rootSpanId!), Buffer.from('row')]),
  ]).toString('base64');
}
