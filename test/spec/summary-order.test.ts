import { firstSummariesAreThoseOfAll } from './summary-order-suite.js';

describe('the first summaries in an order', () => {
  firstSummariesAreThoseOfAll(['coalesce(scores.a, metrics.duration, metadata.m) desc']);
});
