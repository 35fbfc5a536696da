// Selects the columns of a table. Any expression of the query language can be a column.
import { Popover } from '../../kit/popover.js';
import type { Source } from '../../server/clauses.js';
import { columnOf } from './columns.js';
import { PathInput } from './path-input.js';

interface ColumnsMenuProps {
  readonly source: Source;
  readonly columns: readonly string[];
  readonly isUsual: boolean;
  /** Null for the default columns. */
  readonly set: (columns: readonly string[] | null) => void;
}

function PathField({
  source,
  add,
}: {
  readonly source: Source;
  readonly add: (e: string) => void;
}) {
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        const text = (new FormData(event.currentTarget).get('column') as string).trim();
        if (text !== '') add(text);
        event.currentTarget.reset();
      }}
    >
      <PathInput name="column" source={source} placeholder="metadata.model" />
      <button type="submit">Add</button>
    </form>
  );
}

export function ColumnsMenu({ source, columns, isUsual, set }: ColumnsMenuProps) {
  const without = (expression: string) => columns.filter((one) => one !== expression);
  const moved = (index: number) => {
    const next = [...columns];
    const [one] = next.splice(index, 1);
    next.splice(index - 1, 0, one!);
    return next;
  };
  return (
    <Popover label="Columns ▾" isPressed={!isUsual}>
      {() => (
        <>
          <PathField
            source={source}
            add={(expression) => set([...without(expression), expression])}
          />
          <ul className="choices">
            {columns.map((expression, index) => (
              <li key={expression} className="choice">
                <code className="cut" title={expression}>
                  {columnOf(expression).label}
                </code>
                <button
                  type="button"
                  className="quiet small"
                  aria-label={`Move ${expression} to the left`}
                  disabled={index === 0}
                  onClick={() => set(moved(index))}
                >
                  ←
                </button>
                <button
                  type="button"
                  className="quiet small"
                  aria-label={`Remove ${expression}`}
                  disabled={columns.length === 1}
                  onClick={() => set(without(expression))}
                >
                  ✕
                </button>
              </li>
            ))}
          </ul>
          <button type="button" disabled={isUsual} onClick={() => set(null)}>
            Default columns
          </button>
        </>
      )}
    </Popover>
  );
}
