// Contenders and a question -> times, as long as all of them give the same answers.
import { Unsupported, type AnswerRow, type Contender } from '../contenders/contender.js';
import { median } from '../measure.js';
import { difference } from './compare-answers.js';
import { withSample, type Question, type Sample } from './question.js';

/** What one contender did with one question: times, or a reason why there are none. */
export interface Outcome {
  readonly contender: string;
  readonly question: string;
  readonly status: 'answered' | 'unsupported' | 'wrong' | 'failed';
  readonly reason?: string;
  /** Milliseconds of each round. */
  readonly milliseconds: readonly number[];
  readonly median?: number;
}

/** All that a contender needs to be for a question. */
export interface Asked extends Pick<Contender, 'name' | 'answer'> {
  /** Called before each answer; its time does not count. */
  readonly prepare?: () => Promise<void>;
}

export type Refusal = Pick<Outcome, 'status'> & { readonly reason: string };

export const refusalOf = (error: unknown): Refusal => ({
  status: error instanceof Unsupported ? 'unsupported' : 'failed',
  reason: error instanceof Error ? error.message : String(error),
});

interface Answer {
  readonly rows: readonly AnswerRow[];
  readonly milliseconds: number;
}

export interface Standing {
  readonly milliseconds: number[];
  refusal: Refusal | null;
}

export type Standings<T> = ReadonlyMap<T, Standing>;

export const standingsOf = <T>(contenders: readonly T[]): Standings<T> =>
  new Map(contenders.map((contender) => [contender, { milliseconds: [], refusal: null }]));

export const outcomesOf = (
  standings: Standings<{ readonly name: string }>,
  question: string,
): readonly Outcome[] =>
  [...standings].map(([{ name: contender }, { milliseconds, refusal }]) => {
    if (refusal === null)
      return {
        contender,
        question,
        status: 'answered',
        milliseconds,
        median: median(milliseconds),
      };
    const { status, reason } = refusal;
    return { contender, question, status, reason, milliseconds: [] };
  });

async function answersOf(
  order: Iterable<[Asked, Standing]>,
  question: Question,
): Promise<ReadonlyMap<Standing, Answer>> {
  const answers = new Map<Standing, Answer>();
  for (const [contender, standing] of order) {
    try {
      await contender.prepare?.();
      const start = performance.now();
      const rows = await contender.answer(question);
      answers.set(standing, { rows, milliseconds: performance.now() - start });
    } catch (error) {
      standing.refusal = refusalOf(error);
    }
  }
  return answers;
}

/** Refuses the answers that differ from that of the first contender which has one. */
function compareRound(
  standings: Standings<Asked>,
  question: Question,
  answers: ReadonlyMap<Standing, Answer>,
): void {
  const reference = [...standings.values()].find((standing) => answers.has(standing));
  if (reference === undefined) return;
  const expected = answers.get(reference)!.rows;
  for (const [standing, { rows }] of answers) {
    const reason = difference(question, expected, rows);
    if (reason !== null) standing.refusal = { status: 'wrong', reason };
  }
}

/**
 * Rounds over all contenders, each from the other end: what else the machine does falls on all alike. The answers of
 * every round are compared, and the times of the first do not count.
 */
export async function ask(
  contenders: readonly Asked[],
  question: Question,
  samples: readonly Sample[],
  rounds: number,
): Promise<readonly Outcome[]> {
  const standings = standingsOf(contenders);
  for (let round = 0; round <= rounds; round++) {
    const sampled = withSample(question, samples[round % samples.length]!);
    const taking = [...standings].filter(([, { refusal }]) => refusal === null);
    const order = round % 2 === 0 ? taking : taking.toReversed();
    const answers = await answersOf(order, sampled);
    compareRound(standings, sampled, answers);
    if (round > 0)
      for (const [standing, { milliseconds }] of answers) standing.milliseconds.push(milliseconds);
  }
  return outcomesOf(standings, question.name);
}
