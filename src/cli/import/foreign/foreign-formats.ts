// The formats of other tools, by their names in `--from`.
import { inspectAi } from './inspect-ai.js';
import { langfuse } from './langfuse.js';
import { langsmith } from './langsmith.js';
import { lmEval } from './lm-eval.js';
import { mlflow } from './mlflow.js';
import { phoenix } from './phoenix.js';
import type { ForeignFormat } from './foreign-format.js';

export const foreignFormats = {
  langfuse,
  langsmith,
  phoenix,
  mlflow,
  'inspect-ai': inspectAi,
  'lm-eval': lmEval,
} as const satisfies Readonly<Record<string, ForeignFormat>>;

/** Spans of OpenTelemetry, which the server maps. */
export const otlp = 'otlp';

export type MappedName = keyof typeof foreignFormats;
export type ForeignName = MappedName | typeof otlp;

export const foreignNames: readonly ForeignName[] = [
  otlp,
  ...(Object.keys(foreignFormats) as readonly MappedName[]),
];

export const isForeign = (name: string): name is ForeignName =>
  (foreignNames as readonly string[]).includes(name);
