// One route of the interface as data: what it takes and what it runs. Who may call it is in permission-table.
import type { TObject, TSchema } from 'typebox';
import type { JsonValue } from '../json/json.js';
import type { Caller, Hold, Services } from '../service/context.js';
import type { Reply } from '../service/reply.js';
import type { Parameters } from './parameters.js';

export interface OperationRequest {
  readonly services: Services;
  readonly caller: Caller;
  /** The id in the path, in lower case; empty when the path has none. */
  readonly id: string;
  readonly query: Parameters;
  /** Fits the operation's body schema; an absent optional body is an empty object. */
  readonly body: JsonValue;
  /** What the client reached the server under, as its header Host says it. */
  readonly host: string;
  /** A body that the service takes as it arrives; not read before somebody does. */
  readonly content: AsyncIterable<Buffer>;
  /** A body that the service decodes: UTF-8, unless its content type is of another kind. */
  readonly bytes: Buffer;
  /** One of those that the operation takes, without parameters; empty when it takes any. */
  readonly contentType: string;
  /** Those that the operation reads, by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Value of the header; empty without one. */
  readonly ifNoneMatch: string;
  readonly hold: Hold;
  /** Makes a signal that fires when the client goes away. */
  readonly signal: () => AbortSignal;
}

/**
 * - `required`, `optional`: JSON that fits the schema
 * - `bytes`: handed on unparsed, for the service to decode; of one of the content types, where they are named
 * - `stream`: any bytes, handed on as they arrive
 *
 * `shown` is what the reference says of a body that the service decodes, or decodes a part of.
 */
export type BodyRule =
  | JsonRule
  | {
      readonly kind: 'bytes';
      readonly shown?: TObject;
      readonly contentTypes?: readonly string[];
    }
  | { readonly kind: 'stream' };

export interface JsonRule {
  readonly kind: 'required' | 'optional';
  readonly schema: TObject;
  readonly shown?: TObject;
  /** Members and elements that it may have, where that is less than for other bodies. */
  readonly valuesMax?: number;
}

export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `:id` for the id of an object. */
  readonly path: string;
  readonly query: TObject;
  /** What it counts as where the rate of requests is limited; 1 when left out. */
  readonly weight?: number;
  /** Other names for query parameters. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Query parameters that published clients send for what there is not, and what to send instead. */
  readonly unsupported?: Readonly<Record<string, string>>;
  /** Headers that it reads, by their names in lower case. */
  readonly headers?: TObject;
  readonly body?: BodyRule;
  run(request: OperationRequest): Promise<Reply> | Reply;
}

/** What the reference says of an operation. */
export interface About {
  /** Unique: what generated clients call it. */
  readonly name: string;
  /** The part of the reference that it is in. */
  readonly group: string;
  readonly summary: string;
  readonly isDeprecated?: boolean;
  /** The body of a 200 by its content type. */
  readonly answers: Readonly<Record<string, TSchema>>;
  /** Headers of a 200 beside those of every answer. */
  readonly headers?: readonly (
    | 'etag'
    | 'x-evalstore-version'
    | 'x-evalstore-cursor'
    | 'x-evalstore-columnstore'
    | 'x-bt-cursor'
    | 'x-bt-freshness-state'
    | 'x-bt-found-existing'
  )[];
}

/** An operation that is part of the interface. */
export interface DocumentedOperation extends Operation {
  readonly about: About;
}

export const answersJson = (schema: TSchema): About['answers'] => ({ 'application/json': schema });
