// Chooses the experiment that another one is compared with.
import type { ObjectHeader } from '../../catalog/header.js';
import { everything } from '../../catalog/list-page.js';
import { headerNamedInBody, canSee, readableHeader } from '../access/access.js';
import type { Caller, Services } from '../context.js';

/** Undefined for null, and for an experiment that is absent, deleted or unreadable. */
export const readableExperiment = (services: Services, caller: Caller, id: string | null) =>
  id === null ? undefined : readableHeader(services, caller, 'experiment', id);

/** The newest other experiment of the project that the caller may read. */
function mostRecent(
  services: Services,
  caller: Caller,
  { id, projectId }: ObjectHeader,
): ObjectHeader | undefined {
  const newestFirst = services.catalog.list('experiment', {
    ...everything,
    isVisible: (header) => canSee(services, caller, header),
    where: { projectId },
    limit: 2,
  });
  return newestFirst.find((other) => other.id !== id);
}

/**
 * The requested experiment, else the base experiment, else the newest other experiment of the project; null if the caller may read
 * none of them.
 * @throws RequestError 400 if the caller may not read the requested one
 */
export function comparisonOf(
  services: Services,
  caller: Caller,
  experiment: ObjectHeader,
  asked: string | null,
): ObjectHeader | null {
  if (asked !== null) {
    return headerNamedInBody(services, caller, 'experiment', asked, 'comparison_experiment_id');
  }
  const base = readableExperiment(services, caller, experiment.baseExperimentId);
  return base ?? mostRecent(services, caller, experiment) ?? null;
}
