// The same with twice as many queries as in the slow suite.
import { queriesAreAnswered } from './queries-suite.js';

describe('random queries at full length', () => {
  queriesAreAnswered(5400, 30);
});
