// Contenders and questions -> times, once all of them give the same answer.
import { Unsupported, type AnswerRow, type Contender } from '../contenders/contender.js';
import { median, secondsOf } from '../measure.js';
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
export type Asked = Pick<Contender, 'name' | 'answer'>;

type Refusal = Outcome & { readonly reason: string };

async function firstAnswer(
  contender: Asked,
  question: Question,
): Promise<readonly AnswerRow[] | Refusal> {
  try {
    return await contender.answer(question);
  } catch (error) {
    return {
      contender: contender.name,
      question: question.name,
      status: error instanceof Unsupported ? 'unsupported' : 'failed',
      milliseconds: [],
      reason: error instanceof Error ? error.message : String(error),
    };
  }
}

const isRefusal = (answer: readonly AnswerRow[] | Refusal): answer is Refusal =>
  !Array.isArray(answer);

/** The first contender that answers is the measure for the others. */
async function check(
  contenders: readonly Asked[],
  question: Question,
): Promise<{ readonly right: readonly Asked[]; readonly refusals: readonly Refusal[] }> {
  const right: Asked[] = [];
  const refusals: Refusal[] = [];
  let expected: readonly AnswerRow[] | undefined;
  for (const contender of contenders) {
    const answer = await firstAnswer(contender, question);
    if (isRefusal(answer)) {
      refusals.push(answer);
      continue;
    }
    expected ??= answer;
    const reason = difference(question, expected, answer);
    if (reason === null) right.push(contender);
    else
      refusals.push({
        contender: contender.name,
        question: question.name,
        status: 'wrong',
        milliseconds: [],
        reason,
      });
  }
  return { right, refusals };
}

/** Rounds over all contenders, each round from the other end: what else the machine does falls on all alike. */
export async function ask(
  contenders: readonly Asked[],
  question: Question,
  samples: readonly Sample[],
  rounds: number,
): Promise<readonly Outcome[]> {
  const sampled = (round: number) => withSample(question, samples[round % samples.length]!);
  const { right, refusals } = await check(contenders, sampled(0));
  const times = new Map(right.map((contender) => [contender, [] as number[]]));
  for (let round = 1; round <= rounds; round++) {
    const order = round % 2 === 0 ? [...times].toReversed() : times;
    for (const [contender, milliseconds] of order)
      milliseconds.push(1000 * (await secondsOf(() => contender.answer(sampled(round)))));
  }
  const answered = [...times].map(([contender, milliseconds]) => ({
    contender: contender.name,
    question: question.name,
    status: 'answered' as const,
    milliseconds,
    median: median(milliseconds),
  }));
  return [...answered, ...refusals];
}
