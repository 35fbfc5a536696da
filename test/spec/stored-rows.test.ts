import { storedRowsAreTheSame } from './stored-rows-suite.js';

describe('stored rows', () => {
  storedRowsAreTheSame(1, 8, 4);
});
