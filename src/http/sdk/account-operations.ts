// The operations by which an SDK logs in.
import { plainJson } from '../../json/tree.js';
import { Text } from '../../schema/scalar.js';
import {
  Identity,
  Login,
  ObjectInfoGet,
  ObjectInfos,
  type ObjectInfoRequest,
} from '../../schema/sdk.js';
import { textReply } from '../../service/reply.js';
import { identify, logIn, objectInfos } from '../../service/sdk/login.js';
import { operation, type DocumentedOperation } from '../operation.js';
import { post } from './operation.js';

const group = 'SDKs';

export const accountOperations: readonly DocumentedOperation[] = [
  operation('post', '/api/apikey/login', {
    name: 'logIn',
    group,
    summary: 'Log in: the organisations of the key, and the address of this server',
    answer: Login,
    run: ({ services, caller, host }) => logIn(services, caller, host),
  }),
  operation('get', '/ping', {
    name: 'ping',
    group,
    summary: 'User and organisation of the key',
    answer: Identity,
    run: ({ services, caller }) => identify(services, caller),
  }),
  operation('get', '/v1', {
    name: 'greet',
    group,
    summary: 'Test a key',
    answers: { 'text/plain': Text },
    run: () => textReply('Hello, World!'),
  }),
  post('/api/self/get_object_info', {
    name: 'getObjectInfo',
    group,
    summary: 'Names of objects and of their projects',
    body: ObjectInfoGet,
    answer: ObjectInfos,
    run: ({ services, caller }, body) =>
      objectInfos(services, caller, plainJson(body) as ObjectInfoRequest),
  }),
];
