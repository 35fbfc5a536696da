// The common part of SDK operations, which name their objects in the body.
import type { TObject, TSchema } from 'typebox';
import type { JsonObject } from '../../json/json.js';
import type { Reply } from '../../service/reply.js';
import { operation, type DocumentedOperation, type OperationRequest } from '../operation.js';

interface Post {
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  readonly body: TObject;
  readonly answer: TSchema;
  readonly run: (request: OperationRequest, body: JsonObject) => Promise<Reply> | Reply;
}

/** The body is optional if no field is required. */
const bodyRule = (schema: TObject) => {
  const { required = [] } = schema as { required?: readonly string[] };
  return { kind: required.length === 0 ? 'optional' : 'required', schema } as const;
};

export const post = (path: string, { body, run, ...described }: Post): DocumentedOperation =>
  operation('post', path, {
    ...described,
    body: bodyRule(body),
    run: (request) => run(request, request.body as JsonObject),
  });
