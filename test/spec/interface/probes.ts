// All probes.
import { attachmentProbes } from './attachment-probes.js';
import { feedbackProbes } from './feedback-probes.js';
import { fetchProbes } from './fetch-probes.js';
import { insertProbes } from './insert-probes.js';
import { listProbes } from './list-probes.js';
import { objectProbes } from './object-probes.js';
import { otlpProbes } from './otlp-probes.js';
import type { Probe } from './probe.js';
import { queryAndSummaryProbes } from './query-probes.js';
import { removalProbes } from './removal-probes.js';
import { sdkProbes } from './sdk-probes.js';

export const probes: readonly Probe[] = [
  ...objectProbes,
  ...listProbes,
  ...insertProbes,
  ...fetchProbes,
  ...feedbackProbes,
  ...removalProbes,
  ...queryAndSummaryProbes,
  ...attachmentProbes,
  ...sdkProbes,
  ...otlpProbes,
];
