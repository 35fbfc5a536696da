// A query as JSON, and one as SQL, has the answer of its clauses.
import { spellingsAgree } from './spellings.js';

describe('random queries in other spellings', () => {
  spellingsAgree({ json: 300, sql: 200 });
});
