// Completions for a filter: paths of the rows, operators, and values with counts.
import { useQuery } from '@tanstack/react-query';
import { isContainer, plainText } from '../../json/scan.js';
import { sourceText, textOf, type Source } from '../../server/clauses.js';
import { rawRowsOf, rowsOf } from '../../server/query.js';
import { pathBefore, placeOf, valuesQuery } from './filter-place.js';
import { constantOf, pathText, type Selection } from './view.js';

export interface Suggestion {
  readonly label: string;
  /** Replaces the text from `from` to the caret. */
  readonly insert: string;
  readonly from: number;
  readonly count: number | null;
  readonly note: string;
}

interface Path {
  readonly name: readonly string[];
  readonly types: Readonly<Record<string, number>>;
  readonly count: number;
}

export interface PathCount {
  readonly path: string;
  readonly types: readonly string[];
  readonly count: number;
}

const pathsMax = 500;
const shownMax = 12;

/** The paths of the newest rows, most frequent first. */
export function usePaths(source: Source, isWanted = true): readonly PathCount[] {
  const query = textOf({ infer: '*', from: sourceText(source), limit: String(pathsMax) });
  const paths = useQuery({
    queryKey: ['paths', query],
    queryFn: async ({ signal }) =>
      (await rowsOf<Path>(query, { signal })).map(({ name, types, count }) => ({
        path: pathText(name),
        types: Object.keys(types),
        count,
      })),
    enabled: isWanted,
    staleTime: 60_000,
  });
  return paths.data ?? [];
}

const operatorsFor = (types: readonly string[]): readonly string[] => {
  if (types.includes('number')) return ['<', '>', '='];
  if (types.includes('array')) return ['includes'];
  return ['=', '!=', 'ilike'];
};

function operators(before: string, paths: readonly PathCount[]): readonly Suggestion[] {
  const found = paths.find(({ path }) => path === pathBefore(before));
  const given = found === undefined ? [] : [...operatorsFor(found.types), 'is null', 'is not null'];
  return given.map((operator) => ({
    label: operator,
    insert: `${operator} `,
    from: before.length,
    count: null,
    note: 'operator',
  }));
}

/** @param before the filter up to the caret; null for no suggestions */
export function useSuggestions(
  selection: Selection,
  version: string | null,
  before: string | null,
): readonly Suggestion[] {
  const paths = usePaths(selection.source, before !== null);
  const place = before === null ? { path: null, value: null } : placeOf(before);
  const all: Selection = { ...selection, view: { ...selection.view, filter: '' } };
  const query = place.value === null ? '' : valuesQuery(all, place.value);
  const values = useQuery({
    queryKey: ['facet', query, version],
    queryFn: ({ signal }) => rawRowsOf(query, { version, signal }),
    enabled: query !== '',
    staleTime: Infinity,
  });
  if (before === null) return [];
  if (place.value !== null) {
    const { typed, from } = place.value;
    const wanted = typed.replace(/^'/, '').toLowerCase();
    return (values.data?.rows ?? [])
      .flatMap((row) => {
        const raw = row.get('value') ?? 'null';
        if (raw === 'null' || isContainer(raw)) return [];
        if (!plainText(raw).toLowerCase().includes(wanted)) return [];
        const constant = constantOf(raw);
        const count = Number(row.get('n'));
        return [{ label: constant, insert: `${constant} `, from, count, note: '' }];
      })
      .slice(0, shownMax);
  }
  if (place.path === null) return operators(before, paths);
  const { typed, from } = place.path;
  const wanted = typed.toLowerCase();
  const matching = paths.filter(({ path }) => path.toLowerCase().includes(wanted));
  return matching
    .toSorted((a, b) => rank(a, wanted) - rank(b, wanted))
    .slice(0, shownMax)
    .map(({ path, types }) => ({
      label: path,
      insert: `${path} `,
      from,
      count: null,
      note: types.join(', '),
    }));
}

/** Orders paths that begin with the text first, then paths with a name that does; objects last. */
function rank({ path, types }: PathCount, wanted: string): number {
  const text = path.toLowerCase();
  const whole = types.includes('object') ? 3 : 0;
  if (text.startsWith(wanted)) return whole;
  return whole + (text.includes(`.${wanted}`) ? 1 : 2);
}
