// Maps a path below the base to a screen.

export type ProjectView =
  | { readonly name: 'logs' }
  | { readonly name: 'experiments' }
  | { readonly name: 'experiment'; readonly of: string }
  | { readonly name: 'compare' }
  | { readonly name: 'datasets' }
  | { readonly name: 'dataset'; readonly of: string }
  | { readonly name: 'prompts' }
  | { readonly name: 'prompt'; readonly of: string }
  | { readonly name: 'query' };

export type SettingsPart = 'keys' | 'members' | 'audit' | 'server';

export type Route =
  | { readonly name: 'start' }
  | { readonly name: 'home'; readonly organisation: string }
  | { readonly name: 'object'; readonly organisation: string }
  | { readonly name: 'settings'; readonly organisation: string; readonly part: SettingsPart }
  | {
      readonly name: 'project';
      readonly organisation: string;
      readonly project: string;
      /** Null if the path names no part of the project. */
      readonly view: ProjectView | null;
    }
  | { readonly name: 'unknown' };

function viewOf(segments: readonly string[]): ProjectView | null | undefined {
  const [part, of, ...rest] = segments;
  if (part === undefined) return null;
  if (rest.length > 0) return undefined;
  if (of === undefined) {
    return part === 'logs' ||
      part === 'experiments' ||
      part === 'compare' ||
      part === 'datasets' ||
      part === 'prompts' ||
      part === 'query'
      ? { name: part }
      : undefined;
  }
  if (part === 'experiments') return { name: 'experiment', of };
  if (part === 'datasets') return { name: 'dataset', of };
  if (part === 'prompts') return { name: 'prompt', of };
  return undefined;
}

function settingsPart(part: string | undefined): SettingsPart | undefined {
  if (part === undefined) return 'keys';
  return part === 'keys' || part === 'members' || part === 'audit' || part === 'server'
    ? part
    : undefined;
}

/** @param segments the decoded segments of the path */
export function routeOf(segments: readonly string[]): Route {
  const [organisation, part, project, ...rest] = segments;
  if (organisation === undefined) return { name: 'start' };
  if (part === undefined) return { name: 'home', organisation };
  if (part === 'object' && project === undefined) return { name: 'object', organisation };
  if (part === 'settings' && rest.length === 0) {
    const shown = settingsPart(project);
    return shown === undefined
      ? { name: 'unknown' }
      : { name: 'settings', organisation, part: shown };
  }
  if (part !== 'p' || project === undefined) return { name: 'unknown' };
  const view = viewOf(rest);
  return view === undefined
    ? { name: 'unknown' }
    : { name: 'project', organisation, project, view };
}
