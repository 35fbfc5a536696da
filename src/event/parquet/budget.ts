// What reading a Parquet file may take, and the refusals of what is in it.
import { abbreviated, badRequest, RequestError } from '../../errors.js';
import { limits } from '../../schema/limits.js';

/** Counts what the pages of a file say that they hold, before it is read. */
export interface Budget {
  /**
   * @param bytes the size of a page without compression
   * @param values the number of its values, of which null is one
   * @throws RequestError 400 for too many values, 413 for too many bytes
   */
  readonly take: (bytes: number, values: number) => void;
}

/** @param bytesMax the largest size of all pages */
export function budgetOf(bytesMax: number): Budget {
  let [bytes, values] = [0, 0];
  return {
    take: (more, moreValues) => {
      bytes += more;
      values += moreValues;
      if (bytes > bytesMax)
        throw new RequestError(
          413,
          `the Parquet file is larger without compression than the limit of ${Math.floor(bytesMax / 2 ** 20)} MB`,
        );
      const { max } = limits.parquetValues;
      if (values > max) throw badRequest(`request body: expected at most ${max} values, got more`);
    },
  };
}

export const columnText = (name: string): string => `column ${JSON.stringify(abbreviated(name))}`;

export const brokenFile = (): RequestError =>
  badRequest('request body: the Parquet file is incomplete or damaged');

export const brokenColumn = (name: string): RequestError =>
  badRequest(`${columnText(name)}: the Parquet file is incomplete or damaged`);

/** Returns what `read` does; whatever hyparquet throws becomes `refusal`. */
export function unlessBroken<T>(read: () => T, refusal: () => RequestError): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RequestError ? error : refusal();
  }
}

export const unsupported = (name: string, what: string, others: readonly string[]): RequestError =>
  badRequest(`${columnText(name)}: ${what} is not supported: expected ${others.join(', ')}`);
