// Logs each contestant's answers as one experiment.
import type { Client } from './client.js';
import type { Problem } from './problems.js';

const eventsPerRequest = 200;

function toEvent(problem: Problem, contestant: string) {
  const answer = problem.answers.get(contestant);
  const [model, ...method] = contestant.split('_');
  return {
    input: problem.question,
    output: answer?.solution ?? null,
    expected: problem.groundTruth,
    scores: { correct: answer === undefined ? null : Number(answer.isCorrect) },
    metadata: { model, method: method.join('_') },
  };
}

async function loadExperiment(
  client: Client,
  projectId: string,
  contestant: string,
  problems: readonly Problem[],
  progress: (line: string) => void,
): Promise<string> {
  const { id } = await client.post<{ id: string }>('/v1/experiment', {
    project_id: projectId,
    name: contestant,
    ensure_new: true,
  });
  for (let start = 0; start < problems.length; start += eventsPerRequest) {
    const batch = problems.slice(start, start + eventsPerRequest);
    const events = batch.map((problem) => toEvent(problem, contestant));
    await client.post(`/v1/experiment/${id}/insert`, { events });
    progress(`${contestant}: ${start + batch.length} of ${problems.length} events`);
  }
  return id;
}

/** The ids of the new experiments, one for each contestant. */
export async function loadProblems(
  client: Client,
  projectName: string,
  problems: readonly Problem[],
  progress: (line: string) => void,
): Promise<readonly string[]> {
  const project = await client.post<{ id: string }>('/v1/project', { name: projectName });
  const ids: string[] = [];
  for (const contestant of problems[0]?.answers.keys() ?? [])
    ids.push(await loadExperiment(client, project.id, contestant, problems, progress));
  return ids;
}
