// A million hostile requests.
import { hostileRequestsAreHarmless } from './suite.js';

describe('hostile requests at length', () => {
  hostileRequestsAreHarmless(1_000_000, 10_000);
});
