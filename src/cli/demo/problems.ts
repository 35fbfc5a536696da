// The evaluation results of the demo: from the public grade-school-math file, or generated.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Answer {
  readonly solution: string;
  readonly isCorrect: boolean;
}

export interface Problem {
  readonly question: string;
  readonly groundTruth: string;
  /** Answers by `<model>_<method>`, for example `6b_finetuning`. */
  readonly answers: ReadonlyMap<string, Answer>;
}

interface FileAnswer {
  readonly is_correct: boolean;
  readonly solution: string;
}

function readProblem(line: string): Problem {
  const { question, ground_truth, ...answers } = JSON.parse(line) as {
    question: string;
    ground_truth: string;
  } & Record<string, FileAnswer | string>;
  const named = Object.entries(answers as Record<string, FileAnswer>).map(
    ([name, { solution, is_correct }]) => [name, { solution, isCorrect: is_correct }] as const,
  );
  return { question, groundTruth: ground_truth, answers: new Map(named) };
}

/** Parses `example_model_solutions.jsonl` of grade-school-math: one problem per line. */
export async function readProblems(path: string): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    number += 1;
    if (line.trim() === '') continue;
    try {
      problems.push(readProblem(line));
    } catch (error) {
      throw new Error(`${path} line ${number}: ${(error as Error).message}`, { cause: error });
    }
  }
  return problems;
}

/** The number of correct answers out of 10 of each generated model. */
const sampleSkills = { small_direct: 4, small_verified: 6, large_direct: 7, large_verified: 9 };

const sampleSize = 100;

/** A deterministic sample, so that every run prints the same table. */
export function sampleProblems(): readonly Problem[] {
  return Array.from({ length: sampleSize }, (_, index) => {
    const [first, second] = [index + 3, (index * 7) % 50];
    const answers = Object.entries(sampleSkills).map(([name, skill], contestant) => {
      const isCorrect = (index * 3 + contestant) % 10 < skill;
      const answer = first + second + (isCorrect ? 0 : 1);
      return [name, { solution: `${first} + ${second} = ${answer}`, isCorrect }] as const;
    });
    return {
      question: `Ada has ${first} apples and picks ${second} more. How many has she now?`,
      groundTruth: String(first + second),
      answers: new Map(answers),
    };
  });
}
