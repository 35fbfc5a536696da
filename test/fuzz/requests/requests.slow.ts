// Requests of somebody who knows the interface and means harm. `npm test -- --config .mocharc.long.json` sends a million of them.
import { hostileRequestsAreHarmless } from './suite.js';

describe('hostile requests', () => {
  hostileRequestsAreHarmless(100_000, 10_000);
});
