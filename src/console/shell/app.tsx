// The console: the sign-in form without a session, else the screen of the URL.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { useIsConnectionLost } from '../server/connection.js';
import { named, useIdentity, useProjects, usePrefetchedProjects } from '../server/objects.js';
import { Refusal } from '../server/request.js';
import { sessionHalf, subscribeToSession } from '../server/session.js';
import { sharedExperiment } from '../server/shared.js';
import { Home } from '../screens/home/home.js';
import { Failures } from '../kit/failures.js';
import { go, Link, pathOf, segmentsOf, useHref } from '../kit/location.js';
import { ObjectRedirect } from './object-redirect.js';
import { ProjectScreen } from './project-screen.js';
import { RenderFailure } from './render-failure.js';
import { routeOf, type Route } from './routes.js';
import { SharedLink } from './shared-link.js';
import { Shell } from './shell.js';
import { SignIn } from './sign-in.js';
import { Empty, Failure, Loading, QueryState } from '../kit/states.js';

const Settings = lazy(() => import('./settings-screen.js'));

/** The longest pause between two attempts to reach the server, in milliseconds. */
const retryMaxMs = 5_000;

const client = new QueryClient({
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      // Retries only lost connections, since the server would refuse the same request again.
      retry: (_, error) => error instanceof Refusal && error.status === 0,
      retryDelay: (count) => Math.min(1000 * 2 ** count, retryMaxMs),
      // A server on this machine needs no network.
      networkMode: 'always',
      refetchOnWindowFocus: false,
      staleTime: 5_000,
    },
  },
});

const Nothing = ({ organisation }: { readonly organisation: string }) => (
  <Shell organisation={organisation}>
    <Empty isPage title="Page not found">
      <p>
        <Link href={pathOf(organisation)}>All projects</Link>
      </p>
    </Empty>
  </Shell>
);

function Project({ route }: { readonly route: Route & { readonly name: 'project' } }) {
  const projects = useProjects();
  const { organisation } = route;
  if (projects.data === undefined) {
    return (
      <Shell organisation={organisation}>
        <QueryState query={projects} />
      </Shell>
    );
  }
  const project = named(projects.data, route.project);
  if (project !== undefined)
    return <ProjectScreen organisation={organisation} project={project} view={route.view} />;
  return (
    <Shell organisation={organisation}>
      <Empty isPage title={`There is no project “${route.project}”`}>
        <p>It may have been renamed or deleted, or your key may not read it.</p>
        <p>
          <Link href={pathOf(organisation)}>All projects</Link>
        </p>
      </Empty>
    </Shell>
  );
}

const Foreign = ({ organisation, own }: { organisation: string; own: string }) => (
  <Shell organisation={own}>
    <Empty isPage title={`Your key belongs to the organisation “${own}”`}>
      <p>This page is of “{organisation}”. Sign in with a key of that organisation.</p>
    </Empty>
  </Shell>
);

function Screen() {
  const href = useHref();
  const route = routeOf(segmentsOf(href.pathname));
  const identity = useIdentity();
  usePrefetchedProjects(route.name === 'home' || route.name === 'project');
  const own = identity.data?.org_name;
  useEffect(() => {
    if (route.name === 'start' && own !== undefined) go(pathOf(own) + href.search, true);
  });
  if (identity.error && identity.data === undefined)
    return <Failure error={identity.error} retry={identity.refetch} />;
  if (identity.data === undefined || own === undefined || route.name === 'start')
    return <Loading />;
  if (route.name === 'unknown') return <Nothing organisation={own} />;
  if (route.organisation !== own && route.organisation !== identity.data.org_id)
    return <SharedLink refused={<Foreign organisation={route.organisation} own={own} />} />;
  if (route.name === 'home')
    return (
      <Shell organisation={own}>
        <Home organisation={own} />
      </Shell>
    );
  if (route.name === 'settings')
    return (
      <Suspense fallback={<Loading />}>
        <Settings organisation={own} part={route.part} />
      </Suspense>
    );
  if (route.name === 'object') return <ObjectRedirect organisation={own} />;
  return <Project route={route} />;
}

function Session() {
  const half = useSyncExternalStore(subscribeToSession, sessionHalf);
  return half === null ? <SharedLink refused={<SignIn />} /> : <Screen />;
}

/** Not for the sign-in, which shows its error itself and sends nothing by itself. */
function LostConnection() {
  const isLost = useIsConnectionLost();
  const half = useSyncExternalStore(subscribeToSession, sessionHalf);
  if (!isLost || (half === null && sharedExperiment() === null)) return null;
  return (
    <p className="banner" role="status">
      The server cannot be reached. Trying again …
    </p>
  );
}

// The data of one session is not shown in another one, which another tab may have opened.
subscribeToSession(() => client.clear());

export const App = () => (
  <QueryClientProvider client={client}>
    <LostConnection />
    <Failures />
    <RenderFailure href={useHref().href}>
      <Session />
    </RenderFailure>
  </QueryClientProvider>
);
