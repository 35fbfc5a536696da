// What the thread of an engine instance is asked, and what it answers; all of it can be posted.
import type { TextTarget } from './collected-text.js';
import type { DatabaseSettings } from './database.js';
import type { EngineErrorKind } from './engine-error.js';
import type { RowChunk, RowValue } from './rows.js';
import type { Statement } from './sql.js';

/** An instance. */
export interface ThreadOpening {
  readonly file: string;
  readonly settings: DatabaseSettings;
  /** URL of a module whose `scalarFunctions()` are made known to the instance; null for none. */
  readonly functions: string | null;
}

/** The connection is named by a number of the caller's choice, and made for the first request. */
export type ThreadRequest =
  | { readonly kind: 'open'; readonly opening: ThreadOpening }
  | { readonly kind: 'disconnect' | 'leave' }
  | { readonly kind: 'run' | 'read'; readonly statement: Statement }
  /** The next rows of the connection's stream, as `StreamedRows`; with a query it begins one. */
  | { readonly kind: 'next'; readonly query: Statement | null }
  | {
      readonly kind: 'collectText';
      readonly queries: readonly Statement[];
      readonly target: TextTarget;
    }
  | { readonly kind: 'append'; readonly table: string; readonly chunks: readonly RowChunk[] }
  /** Work beside the instance: `run(argument)` of the module at `url`. */
  | { readonly kind: 'module'; readonly url: string; readonly argument: unknown }
  | { readonly kind: 'close' };

export interface StreamedRows {
  readonly rows: readonly (readonly RowValue[])[];
  /** The stream is over. */
  readonly isLast: boolean;
}

export interface ThreadCall {
  readonly call: number;
  readonly connection: number;
  readonly request: ThreadRequest;
}

/** Has no answer. */
export interface ThreadInterrupt {
  readonly interrupt: number;
}

export type ThreadAnswer =
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly error: ThreadError };

/** Sent when something went wrong that is no answer to a call. */
export interface ThreadFailure {
  readonly failure: string;
}

export interface ThreadError {
  readonly kind: EngineErrorKind;
  readonly message: string;
}
