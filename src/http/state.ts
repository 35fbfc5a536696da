// The state of a request that middlewares share.
import type { ParameterizedContext } from 'koa';
import type { RequestError } from '../errors.js';
import type { Anonymous, Principal } from '../service/context.js';

export interface RequestState {
  requestId: string;
  caller: Principal | Anonymous;
  /** The error of an invalid key or session. */
  keyRefusal?: RequestError;
  /** Charges further requests to the rate limit; absent without a limit. */
  charge?: (requests: number) => void;
}

export type RequestContext = ParameterizedContext<RequestState>;

export type Middleware = (context: RequestContext, next: () => Promise<unknown>) => unknown;
