// The public experiment of the URL, or what is shown instead if the URL names none or it cannot be read.
import { lazy, Suspense, type ReactNode } from 'react';
import { Loading } from '../../kit/states.js';
import { sharedExperiment } from '../../server/shared.js';

const SharedExperiment = lazy(() => import('./shared-experiment.js'));

export function SharedLink({ refused }: { readonly refused: ReactNode }) {
  const shared = sharedExperiment();
  if (shared === null) return refused;
  return (
    <Suspense fallback={<Loading />}>
      <SharedExperiment id={shared} refused={refused} />
    </Suspense>
  );
}
