// The inputs of a comparison or groups of them, with the states of their queries.
import { numberText } from '../../kit/format.js';
import { change, hrefWith, useHref } from '../../kit/location.js';
import { Empty, Failure, Loading } from '../../kit/states.js';
import type { RawRow } from '../../json/scan.js';
import type { Experiment } from '../../server/objects.js';
import { byInput, groupsMax, withGroup, type Comparison } from './comparison.js';
import { keyOf } from './group-row.js';
import { Groups } from './groups.js';
import type { useGroups, useScoreNames } from './use-groups.js';

interface ResultsProps {
  readonly experiments: readonly Experiment[];
  readonly comparison: Comparison;
  readonly names: ReturnType<typeof useScoreNames>;
  readonly groups: ReturnType<typeof useGroups>['groups'];
  /** Whether the error is shown at the filter. */
  readonly isFilterWrong: boolean;
  /** The key of the open input. */
  readonly selected: string | null;
}

/** Groups cannot be read without the names of the scores, unless the URL has one. */
function State({
  groups,
  names,
  isFilterWrong,
}: Pick<ResultsProps, 'groups' | 'names' | 'isFilterWrong'>) {
  if (isFilterWrong) return null;
  const failed = [groups, names].find(({ error }) => error !== null);
  if (failed?.error) return <Failure error={failed.error} retry={failed.refetch} />;
  return groups.isPending ? <Loading /> : null;
}

const valueOf = (row: RawRow): string => row.get('value') ?? 'null';

export function Results(props: ResultsProps) {
  const { experiments, comparison, groups, selected } = props;
  const href = useHref();
  const isByInput = comparison.groupBy === byInput;
  const rows = groups.data?.rows ?? [];
  const count = experiments.length;
  return (
    <>
      {comparison.traceFilter !== '' && (
        <p className="banner">
          Only traces with <code>{comparison.traceFilter}</code> are listed.
          <button type="button" className="small" onClick={() => change({ g: null, r: null })}>
            List all
          </button>
        </p>
      )}
      <State {...props} />
      {groups.isSuccess && !groups.isPlaceholderData && rows.length === 0 && (
        <Empty title={`No ${isByInput ? 'input' : 'group'} matches`} />
      )}
      {rows.length > 0 && (
        <Groups
          rows={rows}
          experiments={experiments}
          selected={selected}
          keyOf={(row) => (isByInput ? keyOf(row, count) : valueOf(row))}
          groupBy={isByInput ? null : comparison.groupBy}
          hrefOf={(row) =>
            isByInput
              ? hrefWith(href, { r: keyOf(row, count) })
              : hrefWith(href, { by: null, ...withGroup(comparison, valueOf(row)) })
          }
          isStale={groups.isPlaceholderData}
        />
      )}
      {rows.length >= groupsMax && (
        <p className="banner">
          The first {numberText(groupsMax)} {isByInput ? 'inputs' : 'groups'} are shown. A filter
          leads to the others.
        </p>
      )}
    </>
  );
}
