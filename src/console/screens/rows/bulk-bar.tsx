// The actions on selected rows.
import { useState } from 'react';
import { Confirm } from '../../kit/confirm.js';
import { countText } from '../../kit/format.js';
import { InlineForm } from '../../kit/inline-form.js';
import { Popover } from '../../kit/popover.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import type { RawRow } from '../../json/scan.js';
import type { Source } from '../../server/clauses.js';
import { deleteRows, idOf } from '../../server/rows.js';
import { AddDialog } from '../records/add-dialog.js';
import { useRowsChanged } from '../records/record-actions.js';
import { scoreRows, tagRows, trimmed } from '../records/bulk.js';

interface BulkBarProps {
  readonly source: Source;
  readonly rows: readonly RawRow[];
  readonly keyOf: (row: RawRow) => string;
  readonly clear: () => void;
}

interface FormProps {
  readonly run: (data: FormData) => Promise<void>;
  readonly close: () => void;
}

function TagForm({ run, close }: FormProps) {
  return (
    <InlineForm
      action="Tag"
      run={async (form) => {
        await run(new FormData(form));
        close();
      }}
    >
      <input name="tag" aria-label="Tag" placeholder="Tag" required autoFocus />
    </InlineForm>
  );
}

function ScoreForm({ run, close }: FormProps) {
  return (
    <InlineForm
      action="Score"
      run={async (form) => {
        await run(new FormData(form));
        close();
      }}
    >
      <input
        className="short"
        name="name"
        aria-label="Name of the score"
        defaultValue="rating"
        required
        autoFocus
      />
      <input
        className="shorter"
        name="score"
        aria-label="Score from 0 to 1"
        type="number"
        min="0"
        max="1"
        step="any"
        required
      />
    </InlineForm>
  );
}

const textOf = (data: FormData, name: 'tag' | 'name'): string =>
  trimmed(name, data.get(name) as string);

export function BulkBar({ source, rows, keyOf, clear }: BulkBarProps) {
  const [dialog, setDialog] = useState<'add' | 'delete' | null>(null);
  const changed = useRowsChanged();
  const ids = rows.map(idOf);
  const isDataset = source.kind === 'dataset';
  const what = countText(rows.length, isDataset ? 'record' : 'trace');
  useShortcuts([
    { key: 'd', label: 'Add selected rows to a dataset', run: () => setDialog('add') },
    { key: 'X', label: 'Clear the selection', run: clear },
  ]);
  return (
    <div className="bulk-bar" role="group" aria-label="Selected rows">
      <b role="status">{what} selected</b>
      <button type="button" className="small" onClick={() => setDialog('add')}>
        Add to dataset
      </button>
      <Popover className="small" label="Tag">
        {(close) => (
          <TagForm
            close={close}
            run={async (data) => {
              await tagRows(source, ids, textOf(data, 'tag'));
              await changed();
            }}
          />
        )}
      </Popover>
      {!isDataset && (
        <Popover className="small" label="Score">
          {(close) => (
            <ScoreForm
              close={close}
              run={async (data) => {
                await scoreRows(source, ids, textOf(data, 'name'), Number(data.get('score')));
                await changed();
              }}
            />
          )}
        </Popover>
      )}
      <button type="button" className="small" onClick={() => setDialog('delete')}>
        Delete
      </button>
      <button type="button" className="small quiet" onClick={clear}>
        Clear the selection
      </button>
      {dialog === 'add' && <AddDialog source={source} ids={ids} close={() => setDialog(null)} />}
      {dialog === 'delete' && (
        <Confirm
          title={`Delete ${what}`}
          action="Delete"
          run={async () => {
            await deleteRows(source, rows.map(keyOf));
            clear();
            await changed();
          }}
          close={() => setDialog(null)}
        >
          <p>
            {isDataset ? `${what} will` : `${what}, with all of the spans, will`} no longer be
            shown. Earlier versions of the data keep them.
          </p>
        </Confirm>
      )}
    </div>
  );
}
