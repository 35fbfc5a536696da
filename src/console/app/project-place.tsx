// The project that the screen is in, for what lies deep inside of it.
import { createContext, useContext } from 'react';
import type { Project } from '../server/objects.js';

export interface ProjectPlace {
  readonly project: Project;
  /** The address of a part of the project. */
  readonly path: (...rest: readonly string[]) => string;
}

const Place = createContext<ProjectPlace | null>(null);

export const ProvideProjectPlace = Place.Provider;

export function useProjectPlace(): ProjectPlace {
  const place = useContext(Place);
  if (place === null) throw new Error('there is no project around this');
  return place;
}
