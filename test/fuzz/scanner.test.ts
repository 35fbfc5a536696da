// A few of the random bodies of `scanner.long`.
import { scannerAgrees } from './scanner-suite.js';

describe('random bodies', () => {
  scannerAgrees(5_000);
});
