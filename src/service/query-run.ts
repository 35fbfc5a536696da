// A query that is ready to run, and what its answer's body is made of.
import type { QueryAst } from '../query/ast.js';
import type { CompiledQuery } from '../query/compile.js';
import type { Snapshot } from '../store/event-store.js';
import type { StreamedReply } from './reply.js';

export interface QueryRun {
  readonly snapshot: Snapshot;
  readonly ast: QueryAst;
  readonly compiled: CompiledQuery;
  readonly signal: AbortSignal;
}

export type Body = Omit<StreamedReply, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>;
};
