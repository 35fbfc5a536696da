// Says that a page shows an earlier version, and leads back to the latest.
import { timeText } from '../../kit/format.js';
import { change, useVersion } from '../../kit/location.js';
import { timeOfVersion } from '../../kit/version-time.js';

const versionText = (version: string): string => {
  const time = timeOfVersion(version);
  return Number.isNaN(time) ? `version ${version}` : timeText(time);
};

export function VersionBanner() {
  const version = useVersion();
  return version === null ? null : (
    <div className="banner">
      Data as of {versionText(version)}.
      <button type="button" className="small" onClick={() => change({ v: null })}>
        Back to now
      </button>
    </div>
  );
}
