// The package brings no types; these are the options that are used.
declare module '@koa/cors' {
  import type { Middleware } from 'koa';

  export default function cors(options?: {
    readonly exposeHeaders?: readonly string[];
    /** False: the package does not write headers into the errors that it sees. */
    readonly keepHeadersOnError?: boolean;
  }): Middleware;
}
