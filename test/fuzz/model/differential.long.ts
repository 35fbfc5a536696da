// The same with as many histories as find each of the planted faults of faults.long.ts.
import { describeDifferential } from './differential-suite.js';
import { settings } from './explore.js';

describeDifferential('server and model at full length', settings, 100);
