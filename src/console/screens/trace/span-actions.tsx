// The actions on a span: feedback, and adding it to a dataset.
import { useState } from 'react';
import { useShortcuts } from '../../kit/shortcuts.js';
import type { RawRow } from '../../json/scan.js';
import type { Source } from '../../server/clauses.js';
import { AddDialog } from '../records/add-dialog.js';
import { Feedback } from './feedback.js';

interface SpanActionsProps {
  readonly source: Source;
  readonly id: string;
  readonly row: RawRow;
}

export function SpanActions({ source, id, row }: SpanActionsProps) {
  const [isAdding, setAdding] = useState(false);
  useShortcuts([{ key: 'd', label: 'Add the span to a dataset', run: () => setAdding(true) }]);
  return (
    <>
      <div className="inline-form span-actions">
        <button type="button" className="small" onClick={() => setAdding(true)}>
          Add to dataset
        </button>
      </div>
      <Feedback source={source} id={id} row={row} />
      {isAdding && <AddDialog source={source} ids={[id]} close={() => setAdding(false)} />}
    </>
  );
}
