// A field for a path or expression, which completes the paths that rows have.
import { useId } from 'react';
import type { Source } from '../../server/clauses.js';
import { usePaths } from './suggestions.js';

interface PathInputProps {
  /** The name of the field in its form. */
  readonly name: string;
  readonly source: Source;
  readonly placeholder: string;
  readonly defaultValue?: string;
}

export function PathInput({ source, ...input }: PathInputProps) {
  const id = useId();
  const paths = usePaths(source);
  return (
    <>
      <input
        {...input}
        className="mono"
        aria-label="Path or expression"
        list={id}
        autoComplete="off"
        autoFocus
      />
      <datalist id={id}>
        {paths.map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </>
  );
}
