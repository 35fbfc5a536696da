// Thousands of random queries; `npm run test:long` asks twice as many.
import { queriesAreAnswered } from './queries-suite.js';

describe('random queries at length', () => {
  queriesAreAnswered(2700, 10);
});
