// Maps a path below the base to a screen. The keys of the tables are segments of paths, the values labels in the navigation.

/** The sections of a project. */
export const sections = {
  logs: 'Logs',
  experiments: 'Experiments',
  datasets: 'Datasets',
  prompts: 'Prompts',
  query: 'Query',
} as const;

export const settingsParts = {
  keys: 'Keys',
  members: 'Members',
  retention: 'Retention',
  audit: 'Audit log',
  health: 'Health',
} as const;

/** The screens of one object, by section. */
const single = { experiments: 'experiment', datasets: 'dataset', prompts: 'prompt' } as const;

export type Section = keyof typeof sections;
export type SettingsPart = keyof typeof settingsParts;

export type ProjectView =
  | { readonly name: Section | 'compare' }
  | { readonly name: (typeof single)[keyof typeof single]; readonly of: string };

export type Route =
  | { readonly name: 'start' }
  | { readonly name: 'unknown' }
  | { readonly name: 'home'; readonly organisation: string }
  | { readonly name: 'object'; readonly organisation: string }
  | { readonly name: 'settings'; readonly organisation: string; readonly part: SettingsPart }
  | {
      readonly name: 'project';
      readonly organisation: string;
      readonly project: string;
      /** Null if the path names no part of the project. */
      readonly view: ProjectView | null;
    };

const isIn = <T extends object>(table: T, name: string): name is keyof T & string =>
  Object.hasOwn(table, name);

function viewOf(segments: readonly string[]): ProjectView | null | undefined {
  const [part, of, ...rest] = segments;
  if (part === undefined) return null;
  if (rest.length > 0) return undefined;
  if (of === undefined)
    return part === 'compare' || isIn(sections, part) ? { name: part } : undefined;
  return isIn(single, part) ? { name: single[part], of } : undefined;
}

/** @param segments the decoded segments of the path */
export function routeOf(segments: readonly string[]): Route {
  const [organisation, part, project, ...rest] = segments;
  if (organisation === undefined) return { name: 'start' };
  if (part === undefined) return { name: 'home', organisation };
  if (part === 'object' && project === undefined) return { name: 'object', organisation };
  if (part === 'settings' && rest.length === 0) {
    const shown = project ?? 'keys';
    if (isIn(settingsParts, shown)) return { name: 'settings', organisation, part: shown };
  }
  const view = part === 'p' && project !== undefined ? viewOf(rest) : undefined;
  return view === undefined
    ? { name: 'unknown' }
    : { name: 'project', organisation, project: project!, view };
}
