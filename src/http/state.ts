// The state of a request that the steps share.
import type { ParameterizedContext } from 'koa';
import type { RequestError } from '../errors.js';
import type { Anonymous, Principal } from '../service/context.js';
import type { CommonHeaders } from './common-headers.js';

/** The labels of an operation in the metrics. */
export interface OperationLabels {
  readonly method: string;
  readonly route: string;
}

export interface RequestState {
  requestId: string;
  caller: Principal | Anonymous;
  /** The headers of every answer. `write-reply` passes them to `writeHead` with a short text; all other answers call `headers.set`. */
  headers: CommonHeaders;
  /** The error of an invalid key or session. */
  keyRefusal?: RequestError;
  /** Absent for requests that no operation answers. */
  operation?: OperationLabels;
  /** The id in the path, if there is one. */
  objectId?: string;
  /** Charges further requests to the rate limit; absent without a limit. */
  charge?: (requests: number) => void;
}

export type RequestContext = ParameterizedContext<RequestState>;

/** A step before the operation. */
export type Step = (context: RequestContext) => void;
