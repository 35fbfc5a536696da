// Types of the methods in use; the package has none.
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: {
      readonly headers: { readonly 'accept-encoding'?: string; readonly accept?: string };
    });
    /** The encoding with the highest quality, among equals the first of `preferred`; undefined if the client accepts none. */
    encoding(
      available: readonly string[],
      options?: { readonly preferred?: readonly string[] },
    ): string | undefined;
    /** The media type with the highest quality; undefined if the client accepts none. */
    mediaType(available: readonly string[]): string | undefined;
  }
}
