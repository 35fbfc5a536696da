// Which members of the experiments' metadata are columns of their list.
import { Popover } from '../../kit/popover.js';
import { change, useHref } from '../../kit/location.js';
import { plainText } from '../../json/scan.js';
import type { ListedExperiment } from '../../server/objects.js';

/** The chosen members, one per line in the address. */
export const useMetadataColumns = (): readonly string[] =>
  useHref()
    .searchParams.get('cols')
    ?.split('\n')
    .filter((name) => name !== '') ?? [];

export const metadataText = ({ metadata }: ListedExperiment, name: string): string => {
  const raw = Object.hasOwn(metadata, name) ? metadata[name]! : 'null';
  return raw === 'null' ? '–' : plainText(raw);
};

const set = (columns: readonly string[]) => change({ cols: columns.join('\n') });

interface MetadataMenuProps {
  readonly experiments: readonly ListedExperiment[];
  readonly columns: readonly string[];
}

export function MetadataMenu({ experiments, columns }: MetadataMenuProps) {
  const names = [...new Set(experiments.flatMap(({ metadata }) => Object.keys(metadata)))];
  if (names.length === 0) return null;
  return (
    <Popover label="Metadata ▾" isPressed={columns.length > 0}>
      {() => (
        <ul className="choices">
          {names.toSorted().map((name) => (
            <li key={name} className="choice">
              <label className="cut">
                <input
                  type="checkbox"
                  checked={columns.includes(name)}
                  onChange={({ target }) =>
                    set(target.checked ? [...columns, name] : columns.filter((one) => one !== name))
                  }
                />{' '}
                {name}
              </label>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}
