// Jobs that remove events.
import { waitUntil } from './wait-until.js';
import type { Client } from './client.js';

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly rows: number;
  readonly bytes: number;
  readonly started: string;
  readonly finished: string | null;
  readonly error: string | null;
}

/** Waits for the end of the job. */
export async function endOfJob(client: Client, id: string): Promise<Job> {
  let job: Job | undefined;
  await waitUntil('the end of the job', async () => {
    job = (await client.get(`/v1/job/${id}`)) as unknown as Job;
    return job.state !== 'running';
  });
  return job!;
}
