// The package brings no types; these are the options that are used.
declare module '@koa/cors' {
  import type { Middleware } from 'koa';

  export default function cors(options?: {
    readonly allowMethods?: string;
    readonly exposeHeaders?: readonly string[];
    readonly maxAge?: number;
  }): Middleware;
}
