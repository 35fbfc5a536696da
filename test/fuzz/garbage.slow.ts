// Thousands of broken queries and bodies: refused in words, and the server is as healthy as before.
import { garbageIsHarmless } from './garbage-suite.js';

describe('garbage at length', () => {
  garbageIsHarmless(5200);
});
