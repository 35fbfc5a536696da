// What the middlewares learn about a request, for those that follow.
import type { ParameterizedContext } from 'koa';
import type { RequestError } from '../errors.js';
import type { Anonymous, Principal } from '../service/context.js';

export interface RequestState {
  requestId: string;
  caller: Principal | Anonymous;
  /** What the request is answered with when its key is wrong. */
  keyRefusal?: RequestError;
  /** Counts the request as so many more, where their rate is limited. */
  charge?: (requests: number) => void;
}

export type RequestContext = ParameterizedContext<RequestState>;

export type Middleware = (context: RequestContext, next: () => Promise<unknown>) => unknown;
