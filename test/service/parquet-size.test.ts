// The pages of a Parquet file are limited by the size of a body.
import { expect } from 'chai';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { RequestError } from '../../src/errors.js';
import type { Caller, Services } from '../../src/service/context.js';
import { decodeBody } from '../../src/service/event/decode-body.js';
import { rejection } from '../support/rejection.js';

it('a Parquet file is limited by its size without compression', async () => {
  const limits = { writerMemoryMb: 64, maintenanceMemoryMb: 64, bodyLimitMb: 1, bodiesMemoryMb: 1 };
  const data = [JSON.stringify('x'.repeat(3 * 2 ** 20))];
  const bytes = Buffer.from(parquetWriteBuffer({ columnData: [{ name: 'error', data }] }));
  const body = { bytes, reserve: () => {}, signal: () => new AbortController().signal };
  const list = { of: 'events', kind: 'project_logs', form: 'parquet' } as const;
  const services = { config: limits } as Services;
  const caller = { kind: 'key', keyId: 'a' } as Caller;
  const reading = decodeBody(services, caller, list, body, () => {});
  const { status, message } = (await rejection(reading as Promise<unknown>)) as RequestError;
  expect([status, message]).to.deep.equal([
    413,
    'the Parquet file is larger without compression than the limit of 2 MB',
  ]);
});
