// The mapping of the columns of a file, and a preview of the first records.
import { objectText, plainText, type RawRow } from '../../json/scan.js';
import { targets, type Mapping, type Target } from './mapping.js';
import type { FileTable } from './table.js';

const shownRecords = 3;
const sampleLength = 80;

interface PreviewProps {
  readonly table: FileTable;
  readonly records: readonly RawRow[];
  readonly mapping: Mapping;
  readonly map: (column: string, target: Target) => void;
}

const sampleOf = ({ rows }: FileTable, column: string): string =>
  plainText(rows.find((row) => row.has(column))?.get(column) ?? '""').slice(0, sampleLength);

export const Preview = ({ table, records, mapping, map }: PreviewProps) => (
  <>
    <div className="panel scroll-x import-columns" tabIndex={0} role="region" aria-label="Columns">
      <table className="list">
        <thead>
          <tr>
            <th>Column</th>
            <th>First value</th>
            <th>Becomes</th>
          </tr>
        </thead>
        <tbody>
          {table.columns.map((column) => (
            <tr key={column}>
              <td className="cut">{column}</td>
              <td className="cut muted">{sampleOf(table, column)}</td>
              <td>
                <select
                  aria-label={`What ${column} becomes`}
                  value={mapping.get(column)}
                  onChange={(event) => map(column, event.target.value as Target)}
                >
                  {targets.map((target) => (
                    <option key={target}>{target}</option>
                  ))}
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <div className="snippet">
      <pre tabIndex={0} aria-label="The first records">
        {records
          .slice(0, shownRecords)
          .map((record) => objectText(record))
          .join('\n')}
      </pre>
    </div>
  </>
);
