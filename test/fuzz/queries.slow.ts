// Thousands of random queries; `npm test -- --config .mocharc.long.json` asks three times as many.
import { queriesAreAnswered } from './queries-suite.js';

describe('random queries at length', () => {
  queriesAreAnswered(1800, 7);
});
