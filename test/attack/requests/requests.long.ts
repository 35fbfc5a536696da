import { hostileRequestsAreHarmless } from './suite.js';

describe('hostile requests at length', () => {
  hostileRequestsAreHarmless(300_000, 3000);
});
