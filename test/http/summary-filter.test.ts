// A summary of a part of experiments: it is the summary that these traces alone would have.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';

describe('filter of a summary', () => {
  const server = sharedServer();
  let project: string;
  before(async () => {
    project = (await createProject(server(), { name: 'sliced' })).id;
  });

  const experiment = async (name: string, scores: Readonly<Record<string, number>>) => {
    const { id } = await createExperiment(server(), project, { name });
    // The child carries the score: a trace is kept or left out as a whole.
    const events = Object.entries(scores).flatMap(([input, s]) => [
      { id: input, span_id: input, root_span_id: input, input },
      {
        id: `${input}-c`,
        span_id: `${input}-c`,
        root_span_id: input,
        span_parents: [input],
        scores: { s },
      },
    ]);
    await server().insert(`experiment/${id}`, events);
    return id;
  };

  const summary = async (id: string, other: string, filter: string | null) => {
    const search = new URLSearchParams({
      summarize_scores: 'true',
      comparison_experiment_id: other,
      ...(filter === null ? {} : { filter }),
    });
    return server().request('GET', `/v1/experiment/${id}/summarize?${search.toString()}`);
  };

  it('counts the traces whose root passes it, in both experiments', async () => {
    const all = { a1: 1, a2: 0.5, a3: 0.75, b1: 0, b2: 0.125 };
    const before = { a1: 0, a2: 0.5, a3: 0.25, b1: 1, b2: 1 };
    const part = ({ a1, a2, a3 }: typeof all) => ({ a1, a2, a3 });
    const [ours, theirs] = [await experiment('ours', all), await experiment('theirs', before)];
    const [some, others] = [
      await experiment('some', part(all)),
      await experiment('others', part(before)),
    ];
    const scores = async (answer: ReturnType<typeof summary>) => (await answer).json()['scores'];
    const sliced = await scores(summary(ours, theirs, "input ilike 'a%'"));
    expect(sliced).to.deep.equal(await scores(summary(some, others, null)));
    expect(sliced).not.to.deep.equal(await scores(summary(ours, theirs, null)));
    expect(await scores(summary(ours, theirs, 'false'))).to.deep.equal({});
    expect(await scores(summary(ours, theirs, "input = 'a1' -- or more"))).to.have.nested.property(
      's.count',
      1,
    );
  });

  it('is one condition, and a refusal says where it is wrong', async () => {
    const id = await experiment('refused', { a: 1 });
    const refusal = (filter: string) => outcome(summary(id, id, filter));
    const noCondition = 'filter: expected one condition, as in the clause `filter` of a query';
    for (const more of ['true | limit: 1', "true | from: experiment('x')", ''])
      expect((await refusal(more))[0], more).to.equal(400);
    expect(await refusal('true | limit: 1')).to.deep.equal([400, noCondition]);
    expect((await refusal('true) or (true'))[0]).to.equal(400);
    expect((await refusal('lowr(id)'))[1]).to.include("unknown function 'lowr'");
  });
});
