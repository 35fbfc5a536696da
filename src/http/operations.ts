// Every route of the server, in one list.
import { Type } from 'typebox';
import { resources } from '../resource/table.js';
import { closed } from '../schema/scalar.js';
import { jsonReply } from '../service/reply.js';
import { objectOperations } from './object-operations.js';
import type { Operation } from './operation.js';
import { serverVersion } from './version.js';

const statusOperation = (path: string, answer: object): Operation => ({
  method: 'get',
  path,
  access: { kind: 'open' },
  query: Type.Object({}, closed),
  run: () => jsonReply(JSON.stringify(answer)),
});

export const operations: readonly Operation[] = [
  statusOperation('/health', { status: 'ok' }),
  statusOperation('/version', { version: serverVersion }),
  ...resources.flatMap(({ path, objects }) =>
    objects === undefined ? [] : objectOperations(`/v1/${path}`, objects),
  ),
];
