// The requests to an engine thread and its answers. All of them can be posted.
import type { DatabaseSettings } from './database.js';
import type { EngineErrorKind } from './engine-error.js';
import type { RowChunk, RowValue } from './rows.js';
import type { Statement } from './sql.js';

/** An instance. */
export interface ThreadOpening {
  readonly file: string;
  readonly settings: DatabaseSettings;
  /** The URL of a module whose `scalarFunctions()` are registered with the instance, or null. */
  readonly functions: string | null;
}

/** A request on a connection. The caller numbers the connections; one is created by its first request. */
export type ThreadRequest =
  | { readonly kind: 'open'; readonly opening: ThreadOpening }
  | { readonly kind: 'disconnect' | 'leave' }
  | { readonly kind: 'run' | 'read'; readonly statement: Statement }
  /** The next rows of the stream of the connection, as `StreamedRows`. A query starts a new stream. */
  | { readonly kind: 'next'; readonly query: Statement | null }
  /** As `Connection.consume`; `consumer` is the URL of a module. */
  | {
      readonly kind: 'consume';
      readonly query: Statement;
      readonly consumer: string;
      readonly argument: unknown;
    }
  | { readonly kind: 'append'; readonly table: string; readonly chunks: readonly RowChunk[] }
  /** Calls `run(argument)` of the module at `url`. */
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

/** Sent for an error outside of a call. */
export interface ThreadFailure {
  readonly failure: string;
}

export interface ThreadError {
  readonly kind: EngineErrorKind;
  readonly message: string;
}
