// Options -> the events of a run, and what is asked of them.
import { leafColumns, type LeafColumn } from './contenders/leaf-columns.js';
import { prepareDataset, type Dataset } from './generator/dataset.js';
import { readGsm8k } from './generator/gsm8k.js';
import type { Options } from './options.js';
import { gsm8kLeaves, gsm8kQuestions } from './questions/gsm8k.js';
import type { Question } from './questions/question.js';
import { questions } from './questions/questions.js';

export interface Corpus {
  readonly dataset: Dataset;
  readonly leaves: readonly LeafColumn[];
  readonly questions: readonly Question[];
  /** The other workloads need events as SDKs send them. */
  readonly isGenerated: boolean;
}

/** The real file when one is named, and generated events otherwise. */
export async function prepareCorpus(options: Options): Promise<Corpus> {
  const { file, directory, seed, events, profile } = options;
  if (file !== null) {
    const dataset = await readGsm8k(file, directory);
    return { dataset, leaves: gsm8kLeaves, questions: gsm8kQuestions, isGenerated: false };
  }
  const dataset = await prepareDataset(directory, seed, events, profile);
  return { dataset, leaves: leafColumns, questions, isGenerated: true };
}
