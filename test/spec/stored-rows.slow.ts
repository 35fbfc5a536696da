// Longer random histories, and everything asked at each of their states.
import { storedRowsAreTheSame } from './stored-rows-suite.js';

describe('stored rows at length', () => {
  storedRowsAreTheSame(2, 16, 1);
});
