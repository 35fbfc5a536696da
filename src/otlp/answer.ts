// The answer to an export request: an ExportTraceServiceResponse in the encoding of the request.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Encoding } from '../schema/otlp.js';

/** The number of rejected spans, and the reason for the first. */
export interface Rejection {
  readonly count: number;
  readonly message: string;
}

/** Field numbers of ExportTraceServiceResponse and ExportTracePartialSuccess. */
const fields = { partialSuccess: 1, rejectedSpans: 1, errorMessage: 2 } as const;

const jsonOf = (rejection: Rejection | null): Buffer =>
  Buffer.from(
    JSON.stringify(
      rejection === null
        ? {}
        : {
            partialSuccess: {
              rejectedSpans: String(rejection.count),
              errorMessage: rejection.message,
            },
          },
    ),
  );

const protobufOf = (rejection: Rejection | null): Buffer => {
  const writer = new BinaryWriter();
  if (rejection !== null)
    writer
      .tag(fields.partialSuccess, WireType.LengthDelimited)
      .fork()
      .tag(fields.rejectedSpans, WireType.Varint)
      .int64(rejection.count)
      .tag(fields.errorMessage, WireType.LengthDelimited)
      .string(rejection.message)
      .join();
  return Buffer.from(writer.finish());
};

const writers: Readonly<Record<Encoding, (rejection: Rejection | null) => Buffer>> = {
  json: jsonOf,
  protobuf: protobufOf,
};

/** @param rejection null if all spans are stored */
export const exportAnswer = (encoding: Encoding, rejection: Rejection | null): Buffer =>
  writers[encoding](rejection);
