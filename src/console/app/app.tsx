// The console as a whole: sign-in where there is no session, else the screen that the address names.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { named, useIdentity, useProjects } from '../server/objects.js';
import { Refusal } from '../server/request.js';
import { sessionHalf, subscribeToSession } from '../server/session.js';
import { Home } from '../screens/home/home.js';
import { ObjectRedirect } from '../screens/object-redirect.js';
import { go, Link, pathOf, segmentsOf, useHref } from './location.js';
import { ProjectScreen } from './project-screen.js';
import { routeOf, type Route } from './routes.js';
import { Shell } from './shell.js';
import { SignIn } from './sign-in.js';
import { Empty, Failure, Loading } from './states.js';

const Settings = lazy(() => import('../screens/settings/settings.js'));

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What the server refuses it refuses again; only a lost connection is worth another try.
      retry: (count, error) => error instanceof Refusal && error.status === 0 && count < 3,
      refetchOnWindowFocus: false,
      staleTime: 5_000,
    },
  },
});

const Nothing = ({ organisation }: { readonly organisation: string }) => (
  <Shell organisation={organisation}>
    <Empty isPage title="There is no such page">
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
        {projects.error ? <Failure error={projects.error} retry={projects.refetch} /> : <Loading />}
      </Shell>
    );
  }
  const project = named(projects.data, route.project);
  if (project !== undefined)
    return <ProjectScreen organisation={organisation} project={project} view={route.view} />;
  return (
    <Shell organisation={organisation}>
      <Empty isPage title={`There is no project “${route.project}”`}>
        <p>It may have another name now, or be deleted.</p>
        <p>
          <Link href={pathOf(organisation)}>All projects</Link>
        </p>
      </Empty>
    </Shell>
  );
}

function Screen() {
  const href = useHref();
  const route = routeOf(segmentsOf(href.pathname));
  const identity = useIdentity();
  const own = identity.data?.org_name;
  useEffect(() => {
    if (route.name === 'start' && own !== undefined) go(pathOf(own) + href.search, true);
  });
  if (identity.error) return <Failure error={identity.error} retry={identity.refetch} />;
  if (identity.data === undefined || own === undefined || route.name === 'start')
    return <Loading />;
  if (route.name === 'unknown') return <Nothing organisation={own} />;
  if (route.organisation !== own && route.organisation !== identity.data.org_id) {
    return (
      <Shell organisation={own}>
        <Empty isPage title={`Your key is of the organisation “${own}”`}>
          <p>This page is of “{route.organisation}”. Sign in with a key of that organisation.</p>
        </Empty>
      </Shell>
    );
  }
  if (route.name === 'home') return <Home organisation={own} />;
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
  return half === null ? <SignIn /> : <Screen />;
}

export const App = () => (
  <QueryClientProvider client={client}>
    <Session />
  </QueryClientProvider>
);
