// The difference of two texts by words, or by lines for long texts.
import { diffLines, diffWordsWithSpace, type Change } from 'diff';
import { useMemo } from 'react';
import { LongText } from '../value/long-text.js';

/** Texts above this length are compared line by line. */
const wordsMax = 20_000;
/** Texts above this length are shown side by side. */
const linesMax = 400_000;
/** The time limit of a comparison in milliseconds. */
const timeout = 300;

/** Returns null on a timeout. */
function differences(before: string, after: string): readonly Change[] | null {
  const length = before.length + after.length;
  if (length > linesMax) return null;
  const changes =
    length > wordsMax
      ? diffLines(before, after, { timeout })
      : diffWordsWithSpace(before, after, { timeout });
  return changes ?? null;
}

const tagOf = ({ added, removed }: Change): 'ins' | 'del' | 'span' =>
  added ? 'ins' : removed ? 'del' : 'span';

export function WordDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const changes = useMemo(() => differences(before, after), [before, after]);
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
