// A table of few rows that scrolls horizontally if necessary.
import type { ReactNode } from 'react';

interface ListTableProps {
  readonly label: string;
  /** The cells of the head. */
  readonly head: ReactNode;
  /** The rows. */
  readonly children: ReactNode;
}

export const ListTable = ({ label, head, children }: ListTableProps) => (
  <div className="panel scroll-x" tabIndex={0} role="region" aria-label={label}>
    <table className="list">
      <thead>
        <tr>{head}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
