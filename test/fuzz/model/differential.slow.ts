import { describeDifferential } from './differential-suite.js';
import { settings } from './explore.js';

describeDifferential(
  'server and model at length',
  settings.filter(({ merges }) => !merges),
  20,
);
