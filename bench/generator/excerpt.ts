// A dataset -> a few of its events: rows to ask for, and rows to send one by one.
import type { Sample } from '../questions/question.js';
import { eventBatches, type Dataset } from './dataset.js';
import type { GeneratedEvent } from './events.js';

const sampleCount = 20;
const firstCount = 5000;
const linesPerBatch = 1000;

export interface Excerpt {
  readonly samples: readonly Sample[];
  readonly first: readonly GeneratedEvent[];
}

/** Rows spread over the whole dataset, and its first events. */
export async function excerpt(dataset: Dataset): Promise<Excerpt> {
  const first: GeneratedEvent[] = [];
  const samples: Sample[] = [];
  const step = Math.max(1, Math.floor(dataset.events / sampleCount));
  let index = 0;
  for await (const lines of eventBatches(dataset, linesPerBatch))
    for (const line of lines) {
      const isSample = index % step === step >> 1;
      if (index++ >= firstCount && !isSample) continue;
      const event = JSON.parse(line) as GeneratedEvent;
      if (isSample) samples.push({ id: event.id, trace: event.root_span_id });
      if (index <= firstCount) first.push(event);
    }
  // 7 has no factor in common with 20: consecutive rounds ask for rows far from each other.
  return { samples: samples.map((_, index) => samples[(index * 7) % samples.length]!), first };
}
