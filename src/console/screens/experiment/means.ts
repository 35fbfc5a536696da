// The means of scores of experiments, by score and experiment.

export interface Mean {
  readonly experiment_id: string;
  readonly score: string;
  readonly mean: number | null;
  /** The number of spans other than roots that have the score. */
  readonly inner: number;
}

/** The means of each score by the id of the experiment. The names of the scores are in order. */
export function byScore(means: readonly Mean[]): ReadonlyMap<string, ReadonlyMap<string, Mean>> {
  const names = [...new Set(means.map(({ score }) => score))].toSorted();
  const found = new Map(names.map((name) => [name, new Map<string, Mean>()]));
  for (const mean of means) found.get(mean.score)?.set(mean.experiment_id, mean);
  return found;
}
