// Thousands of random queries; `npm test -- --config .mocharc.long.json` asks twice as many.
import { queriesAreAnswered } from './queries-suite.js';

describe('random queries at length', () => {
  queriesAreAnswered(2700, 10);
});
