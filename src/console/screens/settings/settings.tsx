// Settings of the organisation: keys, members, audit log, and state of the server.
import { useEffect, type ReactNode } from 'react';
import { pathOf } from '../../kit/location.js';
import type { SettingsPart } from '../../shell/routes.js';
import { Shell } from '../../shell/shell.js';
import { AuditLog } from './audit-log.js';
import { Keys } from './keys.js';
import { Members } from './members.js';
import { ServerState } from './server-state.js';

const parts: readonly (readonly [SettingsPart, string])[] = [
  ['keys', 'Keys'],
  ['members', 'Members'],
  ['audit', 'Audit log'],
  ['server', 'Server'],
];

const screens: Readonly<Record<SettingsPart, () => ReactNode>> = {
  keys: Keys,
  members: Members,
  audit: AuditLog,
  server: ServerState,
};

interface SettingsProps {
  readonly organisation: string;
  readonly part: SettingsPart;
}

export default function Settings({ organisation, part }: SettingsProps) {
  const Screen = screens[part];
  const title = parts.find(([name]) => name === part)?.[1] ?? '';
  const path = (name: SettingsPart) => pathOf(organisation, 'settings', name);
  useEffect(() => {
    document.title = `${title} · ${organisation} · Evalstore`;
  }, [title, organisation]);
  return (
    <Shell
      organisation={organisation}
      navigation={{
        label: 'Settings',
        title: 'Settings',
        entries: parts.map(([name, label]) => ({
          label,
          href: path(name),
          isCurrent: name === part,
        })),
      }}
      crumbs={[
        { label: 'Settings', href: path('keys') },
        { label: title, href: path(part) },
      ]}
    >
      <div className="page" key={part}>
        <Screen />
      </div>
    </Shell>
  );
}
