// The difference of two texts; until it is computed, the later one.
import type { Change } from 'diff';
import { LongText } from './long-text.js';
import { useDifferences } from './use-differences.js';

const tagOf = ({ added, removed }: Change): 'ins' | 'del' | 'span' =>
  added ? 'ins' : removed ? 'del' : 'span';

export function WordDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const changes = useDifferences(before, after);
  if (changes === undefined)
    return (
      <div aria-busy="true">
        <LongText text={after} label="After" />
      </div>
    );
  if (changes === null)
    return (
      <div className="sides">
        <LongText text={before} label="Before" />
        <LongText text={after} label="After" />
      </div>
    );
  return (
    <p className="text diff" dir="auto">
      {changes.map((change, index) => {
        const Tag = tagOf(change);
        return <Tag key={index}>{change.value}</Tag>;
      })}
    </p>
  );
}
