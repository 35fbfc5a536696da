// The public experiment of the URL in a frame without navigation, or what is shown instead if the URL names none or it cannot be read.
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Logo } from '../kit/logo.js';
import { Failure, Loading } from '../kit/states.js';
import { SharedExperiment } from '../screens/experiment/shared-experiment.js';
import type { Experiment } from '../server/objects.js';
import { readJson, Refusal } from '../server/request.js';
import { sharedExperiment } from '../server/shared.js';
import { KeysButton } from './keys-dialog.js';
import { SignIn } from './sign-in.js';

const Frame = ({ signIn, children }: { signIn: () => void; children: ReactNode }) => (
  <div className="shell wide">
    <header className="topbar">
      <span className="brand">
        <Logo /> Evalstore
      </span>
      <span className="crumbs">
        <span className="chip">Public experiment</span>
      </span>
      <KeysButton />
      <button type="button" onClick={signIn}>
        Sign in
      </button>
    </header>
    <main className="main" id="main" tabIndex={-1}>
      <div className="screen">{children}</div>
    </main>
  </div>
);

/** The statuses of an experiment that is private, missing or none. */
const refusals = new Set([401, 403, 404]);

function Shared({ id, refused }: { id: string; refused: ReactNode }) {
  const [isSigningIn, setSigningIn] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['shared', id],
    queryFn: ({ signal }) =>
      readJson<Experiment>(`/v1/experiment/${encodeURIComponent(id)}`, { signal }),
  });
  if (isSigningIn) return <SignIn />;
  if (error instanceof Refusal && refusals.has(error.status)) return refused;
  if (error) return <Failure error={error} retry={refetch} />;
  if (data === undefined) return <Loading />;
  if (!data.public) return refused;
  return (
    <Frame signIn={() => setSigningIn(true)}>
      <SharedExperiment experiment={data} />
    </Frame>
  );
}

/** @param refused shown instead of a private or missing experiment */
export function SharedLink({ refused }: { readonly refused: ReactNode }) {
  const id = sharedExperiment();
  return id === null ? refused : <Shared id={id} refused={refused} />;
}
