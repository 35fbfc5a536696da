// The pages of a Parquet file are limited by the size of a body.
import { expect } from 'chai';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { RequestError } from '../../src/errors.js';
import type { Services } from '../../src/service/context.js';
import { decodeEvents } from '../../src/service/event/long-bodies.js';
import { rejection } from '../support/rejection.js';

it('a Parquet file is limited by its size without compression', async () => {
  const limits = { writerMemoryMb: 64, maintenanceMemoryMb: 64, bodyLimitMb: 1, bodiesMemoryMb: 1 };
  const data = [JSON.stringify('x'.repeat(3 * 2 ** 20))];
  const bytes = Buffer.from(parquetWriteBuffer({ columnData: [{ name: 'error', data }] }));
  const body = { bytes, reserve: () => {}, signal: () => new AbortController().signal };
  const reading = decodeEvents({ config: limits } as Services, 'project_logs', body, 'parquet');
  const { status, message } = (await rejection(reading as Promise<unknown>)) as RequestError;
  expect([status, message]).to.deep.equal([
    413,
    'the Parquet file is larger without compression than the limit of 2 MB',
  ]);
});
