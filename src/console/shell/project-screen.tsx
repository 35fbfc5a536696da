// The screens of a project.
import { lazy, Suspense, useEffect } from 'react';
import type { Project } from '../server/objects.js';
import { Datasets } from '../screens/objects/datasets.js';
import { DatasetScreen } from '../screens/objects/dataset.js';
import { Experiments } from '../screens/experiment/experiments.js';
import { ExperimentScreen } from '../screens/experiment/experiment.js';
import { Logs } from '../screens/rows/logs.js';
import { go, nameInPath, pathOf, useHref } from '../kit/location.js';
import { ProvideProject } from '../kit/project-context.js';
import { sections, type ProjectView, type Section } from './routes.js';
import { navigationOf, Shell, type Crumb } from './shell.js';
import { Loading } from '../kit/states.js';

const Compare = lazy(() => import('../screens/compare/compare.js'));
const Prompts = lazy(() => import('../screens/prompts/prompts.js'));
const PromptScreen = lazy(() => import('../screens/prompts/prompt.js'));
const Workbench = lazy(() => import('../screens/workbench/workbench.js'));

interface ProjectScreenProps {
  readonly organisation: string;
  readonly project: Project;
  readonly view: ProjectView | null;
}

/** Redirects to the logs if the URL names nothing in the project. */
function ToLogs({ path }: { readonly path: string }) {
  const href = useHref();
  useEffect(() => go(path + href.search, true));
  return <Loading />;
}

function screenOf(
  project: Project,
  view: ProjectView,
  path: (...rest: readonly string[]) => string,
) {
  if (view.name === 'logs') return <Logs project={project} workbench={path('query')} />;
  if (view.name === 'experiments') return <Experiments project={project} path={path} />;
  if (view.name === 'experiment')
    return <ExperimentScreen project={project} name={view.of} path={path} />;
  if (view.name === 'datasets') return <Datasets project={project} path={path} />;
  if (view.name === 'dataset')
    return <DatasetScreen project={project} name={view.of} path={path} />;
  if (view.name === 'prompts') return <Prompts project={project} path={path} />;
  if (view.name === 'prompt') return <PromptScreen project={project} slug={view.of} path={path} />;
  if (view.name === 'compare') return <Compare project={project} path={path} />;
  return <Workbench project={project} />;
}

const sectionOf: Readonly<Record<ProjectView['name'], Section>> = {
  logs: 'logs',
  experiments: 'experiments',
  experiment: 'experiments',
  compare: 'experiments',
  datasets: 'datasets',
  dataset: 'datasets',
  prompts: 'prompts',
  prompt: 'prompts',
  query: 'query',
};

export function ProjectScreen({ organisation, project, view }: ProjectScreenProps) {
  const href = useHref();
  const path = (...rest: readonly string[]) =>
    pathOf(organisation, 'p', nameInPath(project), ...rest);
  const section = view === null ? 'logs' : sectionOf[view.name];
  const crumbs: readonly Crumb[] = [
    { label: sections[section], href: path(section) },
    ...(view !== null && 'of' in view ? [{ label: view.of, href: href.pathname }] : []),
    ...(view?.name === 'compare' ? [{ label: 'Compare', href: href.pathname + href.search }] : []),
  ];
  const last = crumbs.at(-1)?.label ?? '';
  useEffect(() => {
    document.title = `${last} · ${project.name} · Evalstore`;
  }, [last, project.name]);
  return (
    <Shell
      organisation={organisation}
      project={project}
      crumbs={crumbs}
      navigation={navigationOf('Project', project.name, sections, path, section)}
    >
      <ProvideProject value={{ project, path }}>
        <Suspense fallback={<Loading />}>
          {view === null ? (
            <ToLogs path={path('logs')} />
          ) : (
            <div key={`${project.id} ${href.pathname}`} className="screen">
              {screenOf(project, view, path)}
            </div>
          )}
        </Suspense>
      </ProvideProject>
    </Shell>
  );
}
