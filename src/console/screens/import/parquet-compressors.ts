// How pages of Parquet files are unpacked. Snappy is left to hyparquet itself: another one needs WebAssembly, which the
// policy of the page forbids.
import {
  decompressBrotli,
  decompressGzip,
  decompressLz4,
  decompressLz4Raw,
  decompressZstd,
} from 'hyparquet-compressors';

export const compressors = {
  BROTLI: decompressBrotli,
  GZIP: decompressGzip,
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
  ZSTD: (input: Uint8Array) => decompressZstd(input),
};
