// The body of an error of an export: a google.rpc.Status in the encoding of the request, which exporters show to their users.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Encoding } from '../schema/otlp.js';

/** Codes of gRPC by HTTP status, from google/rpc/code.proto. */
const codes: Readonly<Record<number, number>> = {
  400: 3, // INVALID_ARGUMENT
  401: 16, // UNAUTHENTICATED
  403: 7, // PERMISSION_DENIED
  404: 5, // NOT_FOUND
  405: 12, // UNIMPLEMENTED
  413: 8, // RESOURCE_EXHAUSTED
  415: 3, // INVALID_ARGUMENT
  429: 8, // RESOURCE_EXHAUSTED
  500: 13, // INTERNAL
  503: 14, // UNAVAILABLE
};

const unknown = 2;

/** Field numbers of google.rpc.Status. */
const fields = { code: 1, message: 2 } as const;

interface Status {
  readonly code: number;
  readonly message: string;
}

const writers: Readonly<Record<Encoding, (status: Status) => string | Buffer>> = {
  json: (status) => JSON.stringify(status),
  protobuf: ({ code, message }) =>
    Buffer.from(
      new BinaryWriter()
        .tag(fields.code, WireType.Varint)
        .int32(code)
        .tag(fields.message, WireType.LengthDelimited)
        .string(message)
        .finish(),
    ),
};

/** @param httpStatus 4xx or 5xx */
export const errorStatus = (encoding: Encoding, httpStatus: number, message: string) =>
  writers[encoding]({ code: codes[httpStatus] ?? unknown, message });
