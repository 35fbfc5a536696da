// Requests of somebody who knows the interface and means harm. `npm run test:long` sends 300,000 of them.
import { hostileRequestsAreHarmless } from './suite.js';

describe('hostile requests', () => {
  hostileRequestsAreHarmless(15_000, 10_000);
});
