// Random tests draw the same cases in every run, so that a failure is due to the change that is tested.
// `SEED=random` draws new ones, `SEED=<number>` those of a run whose seed was printed.

const usual = 20_240_229;

export function newSeed(): number {
  const { SEED: wanted = String(usual) } = process.env;
  return wanted === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);
}
