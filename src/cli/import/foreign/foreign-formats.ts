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

export type ForeignName = keyof typeof foreignFormats;

export const foreignNames = Object.keys(foreignFormats) as readonly ForeignName[];

export const isForeign = (name: string): name is ForeignName => Object.hasOwn(foreignFormats, name);
