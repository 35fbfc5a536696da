// A route of the interface as data: its parameters, body and function. `permission-table` has its permission.
import { Type, type TObject, type TSchema } from 'typebox';
import type { JsonValue } from '../json/json.js';
import { exactly } from '../schema/scalar.js';
import type { Caller, ReserveMemory, Services } from '../service/context.js';
import type { Reply } from '../service/reply.js';
import type { AnswerHeader } from './answer-headers.js';

/** The query parameters of a request, validated. */
export type Parameters = Readonly<Record<string, unknown>>;

export interface OperationRequest {
  readonly services: Services;
  readonly caller: Caller;
  /** The id or the name in the path, in lower case; empty if the path has none. */
  readonly id: string;
  readonly query: Parameters;
  /** Matches the body schema of the operation; an absent optional body is an empty object. */
  readonly body: JsonValue;
  /** The value of the header Host. */
  readonly host: string;
  /** The chunks of a streamed body. Nothing is read before the first iteration. */
  readonly content: AsyncIterable<Buffer>;
  /** The bytes of a body that the service decodes: UTF-8, unless its content type is not text. */
  readonly bytes: Buffer;
  /** The content type without parameters; empty if the operation accepts any. */
  readonly contentType: string;
  /** The headers that the operation reads, by name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The values of the headers; empty if they are absent. */
  readonly accept: string;
  readonly ifNoneMatch: string;
  /** The value of the header; empty if it is absent, and if the request is a HEAD or has a condition on it. */
  readonly range: string;
  readonly isHead: boolean;
  readonly reserve: ReserveMemory;
  /** Returns a signal that aborts when the client disconnects. */
  readonly signal: () => AbortSignal;
}

/**
 * - `required`, `optional`: JSON that matches the schema
 * - `bytes`: bytes for the service to decode, of one of the content types if any are listed
 * - `stream`: any bytes, passed on as they arrive
 *
 * `shown` is the schema in the reference for a body that the service decodes, entirely or in part.
 */
export type BodyRule =
  | JsonRule
  | {
      readonly kind: 'bytes';
      readonly shown?: TObject;
      /** Descriptions for the reference by content type; JSON has the schema. */
      readonly contentTypes?: Readonly<Record<string, string>>;
      /** Whether a body of a type that names no format is JSON: published clients and curl send such types. */
      readonly isJsonOtherwise?: true;
      /** Whether the lower size limit applies, as to JSON that matches a schema. */
      readonly isShort?: true;
    }
  | { readonly kind: 'stream' };

export interface JsonRule {
  readonly kind: 'required' | 'optional';
  readonly schema: TObject;
  /** The maximum number of members and elements, if not `limits.bodyValues`. The body is parsed in one turn of the event loop. */
  readonly valuesMax?: number;
}

export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** `:id` matches the id of an object, `:namespace` a name or an id. */
  readonly path: string;
  readonly query: TObject;
  /** The weight of a request in the rate limit; by default 1. */
  readonly weight?: number;
  /** Aliases of query parameters. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Query parameters of published clients for unsupported features, with advice for the error. */
  readonly unsupported?: Readonly<Record<string, string>>;
  /** Schemas of the headers that the operation reads, by name in lower case. */
  readonly requestHeaders?: TObject;
  readonly body?: BodyRule;
  run(request: OperationRequest): Promise<Reply> | Reply;
}

/** The path as the reference has it. */
export const documentedPath = ({ path }: Pick<Operation, 'path'>): string =>
  path.replace(/:(\w+)/, '{$1}');

/** The description of an operation in the reference. */
export interface About {
  /** The unique operation id, which generated clients use as a function name. */
  readonly name: string;
  /** The tag, which is a section of the reference. */
  readonly group: string;
  readonly summary: string;
  readonly isDeprecated?: boolean;
  /** The body of a 200, by content type. */
  readonly answers: Readonly<Record<string, TSchema>>;
  /** The body of an error, by content type; by default text. */
  readonly refusals?: Readonly<Record<string, TSchema>>;
  /** Headers of a 200 in addition to those of every answer. */
  readonly headers?: readonly AnswerHeader[];
}

/** An operation in the reference. */
export interface DocumentedOperation extends Operation {
  readonly about: About;
}

export const noParameters = exactly({});

interface Described extends Omit<Operation, 'method' | 'path' | 'query'>, Omit<About, 'answers'> {
  /** By default there are none. */
  readonly query?: TObject;
  /** The JSON of a 200. */
  readonly answer?: TSchema;
  /** The bodies of a 200 that has other content types. */
  readonly answers?: About['answers'];
}

export function operation(
  method: Operation['method'],
  path: string,
  { name, group, summary, isDeprecated = false, headers = [], refusals, ...described }: Described,
): DocumentedOperation {
  const { answer = Type.Null(), answers = { 'application/json': answer }, ...rest } = described;
  const about = {
    name,
    group,
    summary,
    isDeprecated,
    headers,
    answers,
    ...(refusals && { refusals }),
  };
  return { method, path, query: noParameters, ...rest, about };
}
