// Types of the options in use; the package has none.
declare module '@koa/cors' {
  import type { Middleware } from 'koa';

  export default function cors(options?: {
    readonly exposeHeaders?: readonly string[];
    /** If false, the package adds no headers to errors. */
    readonly keepHeadersOnError?: boolean;
  }): Middleware;
}
