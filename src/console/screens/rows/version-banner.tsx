// Says that a page shows an earlier version, and leads back to the latest.
import { timeText } from '../../app/format.js';
import { change } from '../../app/location.js';
import { timeOfVersion } from './view.js';

const versionText = (version: string): string => {
  const time = timeOfVersion(version);
  return Number.isNaN(time) ? `version ${version}` : timeText(time);
};

/** @param version empty for the latest */
export const VersionBanner = ({ version }: { readonly version: string }) =>
  version === '' ? null : (
    <div className="banner">
      Data as of {versionText(version)}.
      <button type="button" className="small" onClick={() => change({ v: null })}>
        Back to now
      </button>
    </div>
  );
