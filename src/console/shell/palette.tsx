// The command palette: finds pages and actions by a part of their name.
import { useState, type KeyboardEvent } from 'react';
import {
  useDatasets,
  useExperiments,
  useProjects,
  useNamedPrompts,
  type Project,
} from '../server/objects.js';
import { Dialog } from '../kit/dialog.js';
import { go, nameInPath, pathOf } from '../kit/location.js';
import { activeShortcuts, keyText } from '../kit/shortcuts.js';
import { sections, settingsParts } from './routes.js';

interface PaletteProps {
  readonly organisation: string;
  readonly project: Project | undefined;
  readonly close: () => void;
}

interface Entry {
  readonly label: string;
  readonly note: string;
  readonly run: () => void;
}

/** The maximum number of listed entries. */
const shownMax = 50;

const entryTo = (label: string, note: string, href: string): Entry => ({
  label,
  note,
  run: () => go(href),
});

function InProject(props: PaletteProps & { readonly project: Project }) {
  const { organisation, project } = props;
  const experiments = useExperiments(project);
  const datasets = useDatasets(project);
  const prompts = useNamedPrompts(project);
  const path = (...rest: readonly string[]) =>
    pathOf(organisation, 'p', nameInPath(project), ...rest);
  const entries = [
    ...Object.entries(sections).map(([name, label]) => entryTo(label, project.name, path(name))),
    ...(experiments.data ?? []).map((one) =>
      entryTo(one.name, 'experiment', path('experiments', nameInPath(one))),
    ),
    ...(datasets.data ?? []).map((one) =>
      entryTo(one.name, 'dataset', path('datasets', nameInPath(one))),
    ),
    ...(prompts.data ?? []).map(({ id, name, slug }) =>
      // Prompts can have the same name.
      entryTo(name, `prompt ${slug}`, path('prompts', nameInPath({ name: slug, id }))),
    ),
  ];
  return <Choices {...props} entries={entries} />;
}

function Choices(props: PaletteProps & { readonly entries: readonly Entry[] }) {
  const { organisation, close } = props;
  const projects = useProjects();
  const [shortcuts] = useState(activeShortcuts);
  const [text, setText] = useState('');
  const [wanted, setActive] = useState(0);
  const all: readonly Entry[] = [
    ...shortcuts
      .filter(({ key }) => key !== 'mod+k')
      .map(({ key, label, run }) => ({ label, note: keyText(key), run })),
    ...props.entries,
    entryTo('All projects', organisation, pathOf(organisation)),
    ...Object.entries(settingsParts).map(([part, label]) =>
      entryTo(label, 'settings', pathOf(organisation, 'settings', part)),
    ),
    ...(projects.data ?? []).map((one) =>
      entryTo(one.name, 'project', pathOf(organisation, 'p', nameInPath(one), 'logs')),
    ),
  ];
  const words = text.toLowerCase().split(/\s+/);
  const found = all
    .filter(({ label, note }) =>
      words.every((word) => `${label} ${note}`.toLowerCase().includes(word)),
    )
    .slice(0, shownMax);
  const active = Math.min(wanted, found.length - 1);
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    close();
    // After the dialog has restored the focus.
    requestAnimationFrame(entry.run);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setActive((active + step + found.length) % found.length);
    else if (event.key === 'Enter') choose(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <div className="palette">
      <input
        data-focus
        role="combobox"
        aria-label="Go to a page or run an action"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length === 0 ? undefined : `palette-${active}`}
        placeholder="Go to a page or run an action …"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label="Found">
        {found.map((entry, index) => (
          <li
            key={index}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === active}
            ref={(item) => {
              if (index === active) item?.scrollIntoView({ block: 'nearest' });
            }}
            onClick={() => choose(entry)}
          >
            <span className="cut">{entry.label}</span>
            <span className="cut muted">{entry.note}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="muted">No matches.</p>}
    </div>
  );
}

export default function Palette(props: PaletteProps) {
  const { project } = props;
  return (
    <Dialog title="Go to a page or run an action" close={props.close}>
      {project === undefined ? (
        <Choices {...props} entries={[]} />
      ) : (
        <InProject {...props} project={project} />
      )}
    </Dialog>
  );
}
