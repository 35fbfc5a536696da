// A source that a query names again is resolved once.
import { expect } from 'chai';
import { QueryError } from '../../src/errors.js';
import type { ObjectHeader } from '../../src/catalog/header.js';
import { parseQuery } from '../../src/query/syntax/parse.js';
import type { Caller, WithCatalog } from '../../src/service/context.js';
import { readablePrompts, readableSources } from '../../src/service/query/sources.js';

const anonymous = { kind: 'anonymous', hasKey: false, permission: 'read' } as Caller;

/** A catalog with one public experiment, `e1`, that counts the look-ups. */
function counting() {
  const looked: string[] = [];
  const header = { id: 'e1', kind: 'experiment', public: true, orgId: 'o1', projectId: 'p1' };
  const catalog = {
    header: (id: string) => {
      looked.push(id);
      return id === 'e1' ? (header as ObjectHeader) : undefined;
    },
    isReachable: () => true,
  };
  return { looked, services: { catalog } as unknown as WithCatalog };
}

const sourcesOf = (from: string) => parseQuery(`select: id | from: ${from}`).from;

describe('sources of a query that are named again', () => {
  it('are resolved once, in whatever case', () => {
    const { looked, services } = counting();
    const from = sourcesOf("experiment('e1', 'E1', 'e1'), experiment('E1')");
    expect(readableSources(services, anonymous, from)).to.have.length(1);
    expect(looked).to.deep.equal(['e1']);
  });

  it('are refused where they are named first', () => {
    const { services } = counting();
    const from = sourcesOf("experiment('e1', 'e2', 'E2')");
    expect(() => readableSources(services, anonymous, from)).to.throw(
      QueryError,
      'query line 1, column 37: ',
    );
    const prompts = sourcesOf("project_prompts('p2', 'P2')");
    expect(() => readablePrompts(services, anonymous, prompts)).to.throw(
      QueryError,
      'query line 1, column 36: ',
    );
  });
});
