// Requests of somebody who knows the interface and means harm. `npm run test:long` sends a million of them.
import { hostileRequestsAreHarmless } from './suite.js';

describe('hostile requests', () => {
  hostileRequestsAreHarmless(50_000, 10_000);
});
