// Settings of a store in a test: merges do not wait for the end of a load, unless the test says so.
import type { CompactionSettings } from '../../src/store/maintenance/compaction-policy.js';

export const mergingAtOnce = <T extends { readonly compaction?: Partial<CompactionSettings> }>(
  settings: T,
): T => ({ ...settings, compaction: { quietMs: 0, ...settings.compaction } });
