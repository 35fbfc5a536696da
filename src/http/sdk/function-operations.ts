// The operation by which SDKs publish functions.
import { FunctionInserts, InsertedFunctions } from '../../schema/sdk-functions.js';
import { insertFunctions } from '../../service/sdk/functions.js';
import type { DocumentedOperation } from '../operation.js';
import { post } from './operation.js';

export const functionOperations: readonly DocumentedOperation[] = [
  post('/insert-functions', {
    name: 'insertFunctions',
    group: 'SDKs',
    summary: 'Store prompts and other functions in one transaction',
    body: FunctionInserts,
    answer: InsertedFunctions,
    run: ({ services, caller }, body) => insertFunctions(services, caller, body),
  }),
];
