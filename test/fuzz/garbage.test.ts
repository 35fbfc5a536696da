import { garbageIsHarmless } from './garbage-suite.js';

describe('garbage', () => {
  garbageIsHarmless(300);
});
