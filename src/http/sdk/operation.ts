// The common part of SDK operations, which name their objects in the body or the query.
import { Type, type TObject, type TSchema } from 'typebox';
import type { JsonObject } from '../../json/json.js';
import { closed } from '../../schema/scalar.js';
import type { Reply } from '../../service/reply.js';
import { answersJson, type DocumentedOperation, type OperationRequest } from '../operation.js';

export const noParameters = Type.Object({}, closed);

interface Call {
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  readonly answer: TSchema;
}

interface Post extends Call {
  readonly body: TObject;
  readonly run: (request: OperationRequest, body: JsonObject) => Promise<Reply> | Reply;
}

/** The body is optional if no field is required. */
const bodyRule = (schema: TObject) => {
  const { required = [] } = schema as { required?: readonly string[] };
  return { kind: required.length === 0 ? 'optional' : 'required', schema } as const;
};

export const post = (path: string, { body, answer, run, ...about }: Post): DocumentedOperation => ({
  method: 'post',
  path,
  query: noParameters,
  body: bodyRule(body),
  about: { ...about, answers: answersJson(answer) },
  run: (request) => run(request, request.body as JsonObject),
});

interface Get extends Call {
  readonly query: TObject;
  readonly run: (request: OperationRequest) => Promise<Reply> | Reply;
}

export const get = (path: string, { query, answer, run, ...about }: Get): DocumentedOperation => ({
  method: 'get',
  path,
  query,
  about: { ...about, answers: answersJson(answer) },
  run,
});
