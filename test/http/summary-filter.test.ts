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
    const commented = await summary(ours, theirs, "input = 'a1' -- or more");
    expect(commented.json()['score_stats']).to.have.nested.property('s.count', 1);
  });

  const scored = async (name: string, outputs: Readonly<Record<string, [string, number]>>) => {
    const { id } = await createExperiment(server(), project, { name });
    const events = Object.entries(outputs).map(([trace, [output, s]]) => ({
      id: trace,
      span_id: trace,
      root_span_id: trace,
      input: trace,
      output,
      scores: { s },
    }));
    await server().insert(`experiment/${id}`, events);
    return id;
  };

  const score = async (id: string, other: string) => {
    const answer = await summary(id, other, "output = 'bad'");
    return (answer.json()['scores'] as { readonly s: { readonly score: number } }).s.score;
  };

  it('counts a trace only in the experiments in which its root passes, whatever its id is in others', async () => {
    const ours = await scored('shared ids', { t1: ['bad', 1], t2: ['good', 0] });
    const theirs = await scored('the same ids', { t1: ['good', 0.25], t2: ['bad', 0.5] });
    expect(await score(ours, theirs)).to.equal(1);
    expect(await score(theirs, ours)).to.equal(0.5);
  });

  it('is one condition, and a refusal says where it is wrong', async () => {
    const id = await experiment('refused', { a: 1 });
    const refusal = async (filter: string) => String(await outcome(summary(id, id, filter)));
    for (const more of ['true | limit: 1', "true | from: experiment('x')", '', 'true) or (true'])
      expect(await refusal(more), more).to.match(/^400,filter line 1, column \d+: /);
    expect(await refusal("id = = 'x'")).to.match(/^400,filter line 1, column 6: /);
    expect(await refusal("lowr(id) = 'x'")).to.match(
      /^400,filter line 1, column 1: unknown function 'lowr'/,
    );
    expect(await refusal('count(*) > 1')).to.match(/^400,filter line 1, column 1: /);
    const paths = Array.from({ length: 1001 }, (_, n) => `input.k${n}`).join(',');
    expect(await refusal(`least(${paths}) = 1`)).to.match(
      /^400,filter line 1, column 1: more than 1000 arguments of functions that are not constants/,
    );
  });

  it('has the days of `tz_offset`', async () => {
    const { id } = await createExperiment(server(), project, { name: 'days' });
    const event = { created: '2024-03-01T03:00:00Z', scores: { s: 1 } };
    await server().insert(`experiment/${id}`, [event]);
    const filter = encodeURIComponent("day(created) = '2024-02-29T05:00:00Z'");
    const path = `/v1/experiment/${id}/summarize?summarize_scores=true&filter=${filter}`;
    const ask = (more: string) => server().request('GET', path + more);
    expect((await ask('')).json()['scores']).to.deep.equal({});
    expect((await ask('&tz_offset=300')).json()['scores']).to.have.nested.property('s.score', 1);
    const named = await ask('&tz_offset=America/New_York');
    expect(named.json()['scores']).to.have.nested.property('s.score', 1);
    for (const zone of ['1441', 'Nowhere/City', '+01:00', ''])
      expect(await outcome(ask(`&tz_offset=${encodeURIComponent(zone)}`))).to.deep.equal([
        400,
        `tz_offset: expected an integer from -1440 to 1440 or the name of a time zone, got ${zone === '1441' ? zone : JSON.stringify(zone)}`,
      ]);
  });

  it('reads only fields that a fetch has without a key', async () => {
    const id = await experiment('shown', { a: 1 });
    await server().request('PATCH', `/v1/experiment/${id}`, { public: true });
    const path = `/v1/experiment/${id}/summarize?summarize_scores=true&filter=`;
    const ask = (filter: string, key: string | null) =>
      server().request('GET', path + encodeURIComponent(filter), undefined, { key });
    expect((await ask("input = 'a'", null)).status).to.equal(200);
    expect((await ask('org_id is not null', null)).status).to.equal(401);
    expect((await ask('org_id is not null', server().key)).status).to.equal(200);
  });

  it('reads comments, with a key', async () => {
    const id = await experiment('commented', { a: 1, b: 0.5 });
    await server().request('POST', `/v1/experiment/${id}/feedback`, {
      feedback: [{ id: 'a', comment: 'good' }],
    });
    const found = await summary(id, id, 'comments is not null');
    expect(found.json()['scores']).to.have.nested.property('s.score', 1);
    await server().request('PATCH', `/v1/experiment/${id}`, { public: true });
    const path = `/v1/experiment/${id}/summarize?summarize_scores=true&filter=comments%20is%20not%20null`;
    const anonymous = await server().request('GET', path, undefined, { key: null });
    expect(anonymous.status).to.equal(401);
  });
});
