// The context that provides the project of a screen.
import { createContext, useContext } from 'react';
import type { Project } from '../server/objects.js';

export interface ProjectContext {
  readonly project: Project;
  /** The URL of a part of the project. */
  readonly path: (...rest: readonly string[]) => string;
}

const ProjectReactContext = createContext<ProjectContext | null>(null);

export const ProvideProject = ProjectReactContext.Provider;

export function useProjectContext(): ProjectContext {
  const context = useContext(ProjectReactContext);
  if (context === null) throw new Error('no project in the context');
  return context;
}
