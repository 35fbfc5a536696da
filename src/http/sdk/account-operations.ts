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
import type { DocumentedOperation } from '../operation.js';
import { get, noParameters, post } from './operation.js';

const group = 'SDKs';

const login: DocumentedOperation = {
  method: 'post',
  path: '/api/apikey/login',
  query: noParameters,
  about: {
    name: 'logIn',
    group,
    summary: 'Log in: the organisations of the key, and the address of this server',
    answers: { 'application/json': Login },
  },
  run: ({ services, caller, host }) => logIn(services, caller, host),
};

const greeting: DocumentedOperation = {
  method: 'get',
  path: '/v1',
  query: noParameters,
  about: {
    name: 'greet',
    group,
    summary: 'Test a key',
    answers: { 'text/plain': Text },
  },
  run: () => textReply('Hello, World!'),
};

export const accountOperations: readonly DocumentedOperation[] = [
  login,
  get('/ping', {
    name: 'ping',
    group,
    summary: 'User and organisation of the key',
    query: noParameters,
    answer: Identity,
    run: ({ services, caller }) => identify(services, caller),
  }),
  greeting,
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
