// Imports records from a file or pasted text: parses, maps and previews them, and inserts them in batches.
import { useMemo, useState } from 'react';
import { ActionError, useAction } from '../../kit/action.js';
import { Dialog } from '../../kit/dialog.js';
import { countText, numberText } from '../../kit/format.js';
import type { Source } from '../../server/clauses.js';
import { insertInBatches } from '../../server/rows.js';
import { sessionSignal } from '../../server/session.js';
import { Preview } from './preview.js';
import { recordOf, defaultMapping, type Mapping } from './mapping.js';
import { readTable, type FileTable } from './table.js';

interface ImportDialogProps {
  readonly source: Source;
  readonly done: () => void;
  readonly close: () => void;
}

function Choose({ take }: { readonly take: (bytes: ArrayBuffer) => void }) {
  return (
    <form
      className="fields dialog-body"
      onSubmit={(event) => {
        event.preventDefault();
        const text = new FormData(event.currentTarget).get('text') as string;
        take(new TextEncoder().encode(text).buffer);
      }}
    >
      <label className="field">
        <span>A file: JSON Lines, JSON, CSV or Parquet</span>
        <input
          data-focus
          type="file"
          accept=".jsonl,.ndjson,.json,.csv,.parquet"
          onChange={(event) => {
            const file = event.target.files?.[0];
            if (file !== undefined) void file.arrayBuffer().then(take);
          }}
        />
      </label>
      <label className="field">
        <span>Or paste</span>
        <textarea name="text" className="mono" rows={8} spellCheck={false} />
      </label>
      <div className="inline-form end">
        <button type="submit">Read the text</button>
      </div>
    </form>
  );
}

const title = 'Import records';

export default function ImportDialog({ source, done, close }: ImportDialogProps) {
  const [table, setTable] = useState<FileTable | null>(null);
  const [mapping, setMapping] = useState<Mapping>(new Map());
  const [stored, setStored] = useState<number | null>(null);
  const reading = useAction(title, async (bytes: ArrayBuffer) => {
    const read = await readTable(bytes);
    setMapping(defaultMapping(read));
    setTable(read);
  });
  const records = useMemo(
    () => table?.rows.map((row) => recordOf(row, mapping)) ?? [],
    [table, mapping],
  );
  const same = useMemo(
    () => records.length - new Set(records.map((record) => record.get('id'))).size,
    [records],
  );
  const storing = useAction(title, async () => {
    const session = sessionSignal();
    setStored(0);
    await insertInBatches(source, records, session, setStored);
    done();
  });
  const isDone = stored === records.length && stored > 0 && !storing.isBusy;
  return (
    <Dialog title={title} close={close}>
      {table === null && (
        <>
          <Choose take={reading.start} />
          <ActionError error={reading.error} />
        </>
      )}
      {table !== null && (
        <div className="fields dialog-body">
          <p>
            {table.format}, {countText(table.rows.length, 'record')}. A record whose id is there
            already replaces it; without a column of ids, an id is made of the content.
          </p>
          {same > 0 && (
            <p className="banner">
              {countText(same, 'record')} {same === 1 ? 'has' : 'have'} the id of a later record of
              the file and will not be stored.
            </p>
          )}
          <Preview
            table={table}
            records={records}
            mapping={mapping}
            map={(name, target) => setMapping(new Map([...mapping, [name, target]]))}
          />
          <ActionError error={storing.error} />
          <div className="inline-form end">
            <span role="status" className="muted">
              {stored !== null && `${numberText(stored)} of ${numberText(records.length)} imported`}
            </span>
            {isDone ? (
              <button type="button" className="primary" autoFocus onClick={close}>
                Done
              </button>
            ) : (
              <button
                type="button"
                className="primary"
                autoFocus
                disabled={storing.isBusy || records.length === 0}
                onClick={storing.start}
              >
                Import {numberText(records.length)}
              </button>
            )}
          </div>
        </div>
      )}
    </Dialog>
  );
}
