// Apart from the other settings: files run beside each other.
import { describeDifferential } from './differential-suite.js';
import { settings } from './explore.js';

describeDifferential(
  'server and model at length, with merges',
  settings.filter(({ merges }) => merges),
  20,
);
