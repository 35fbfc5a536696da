// Settings of the organisation: keys, members, retention, audit log, and the health of the server.
import { useEffect, type ReactNode } from 'react';
import { pathOf } from '../kit/location.js';
import { AuditLog } from '../screens/settings/audit-log.js';
import { Health } from '../screens/settings/health.js';
import { Keys } from '../screens/settings/keys.js';
import { Members } from '../screens/settings/members.js';
import { Retention } from '../screens/settings/retention.js';
import { settingsParts, type SettingsPart } from './routes.js';
import { navigationOf, Shell } from './shell.js';

const screens: Readonly<Record<SettingsPart, () => ReactNode>> = {
  keys: Keys,
  members: Members,
  retention: Retention,
  audit: AuditLog,
  health: Health,
};

interface SettingsProps {
  readonly organisation: string;
  readonly part: SettingsPart;
}

export default function SettingsScreen({ organisation, part }: SettingsProps) {
  const Screen = screens[part];
  const title = settingsParts[part];
  const path = (name: string) => pathOf(organisation, 'settings', name);
  useEffect(() => {
    document.title = `${title} · ${organisation} · Evalstore`;
  }, [title, organisation]);
  return (
    <Shell
      organisation={organisation}
      navigation={navigationOf('Settings', 'Settings', settingsParts, path, part)}
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
