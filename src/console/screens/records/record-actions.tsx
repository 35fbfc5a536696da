// The actions on a record of a dataset: edit, history, delete.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../../kit/confirm.js';
import { change } from '../../kit/location.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import type { RawRow } from '../../json/scan.js';
import type { Source } from '../../server/clauses.js';
import { deleteRows } from '../../server/rows.js';
import { discardDraft, hasDraft } from '../../kit/drafts.js';
import { draftKey, RecordEditor } from './record-editor.js';
import { RecordHistory } from './record-history.js';

interface RecordActionsProps {
  readonly source: Source;
  readonly id: string;
  readonly row: RawRow;
  /** The transaction that wrote it. */
  readonly revision: string;
}

type Mode = 'edit' | 'history' | 'delete';

/** Reads the shown rows again. */
export function useRowsChanged(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    // The rows of a page follow from their order.
    await client.invalidateQueries({ queryKey: ['order'] });
    await Promise.all(
      ['rows', 'trace', 'records'].map((name) => client.invalidateQueries({ queryKey: [name] })),
    );
  };
}

export function RecordActions({ source, id, row, revision }: RecordActionsProps) {
  const [mode, setMode] = useState<Mode | null>(hasDraft(draftKey(source, row)) ? 'edit' : null);
  const changed = useRowsChanged();
  const close = () => setMode(null);
  useShortcuts([{ key: 'e', label: 'Edit the record', run: () => setMode('edit') }]);
  const button = (name: Mode, label: string) => (
    <button
      type="button"
      className="small"
      aria-pressed={name === 'delete' ? undefined : mode === name}
      onClick={() => setMode(mode === name ? null : name)}
    >
      {label}
    </button>
  );
  return (
    <>
      <div className="inline-form span-actions">
        {button('edit', 'Edit')}
        {button('history', 'History')}
        {button('delete', 'Delete')}
      </div>
      {mode === 'edit' && (
        <RecordEditor source={source} row={row} saved={() => void changed()} close={close} />
      )}
      {mode === 'history' && (
        <RecordHistory source={source} id={id} revision={revision} saved={() => void changed()} />
      )}
      {mode === 'delete' && (
        <Confirm
          title="Delete a record"
          action="Delete"
          run={async () => {
            await deleteRows(source, [id]);
            discardDraft(draftKey(source, row));
            change({ r: null, s: null });
            await changed();
          }}
          close={close}
        >
          <p>This removes the record from the dataset. Earlier versions of the dataset keep it.</p>
        </Confirm>
      )}
    </>
  );
}
