// The package brings no types; this is what is used of it.
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { readonly headers: { readonly 'accept-encoding': string } });
    /** The one that the client likes best, of equally liked ones the first of `preferred`; undefined when it takes none. */
    encoding(
      available: readonly string[],
      options?: { readonly preferred?: readonly string[] },
    ): string | undefined;
  }
}
