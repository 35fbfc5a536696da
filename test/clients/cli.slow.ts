// The command line of the SDK against a server: eval, push and pull of real files.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { listObjects } from '../support/objects.js';
import { sharedServer, type Json } from '../support/start-server.js';
import { commandLine } from './command-line.js';
import type { Ended } from './run-program.js';

describe('the command line of the SDK', () => {
  const server = sharedServer();
  const { directory, run } = commandLine(server, [
    'sums.eval.ts',
    'roots.eval.ts',
    'resources.ts',
    'code.ts',
  ]);

  const braintrust = (...parameters: readonly string[]) => run('dist/cli.js', ...parameters);

  const eventsOf = async (experiment: string) => {
    const [found] = await listObjects(server(), `/v1/experiment?experiment_name=${experiment}`);
    return (await server().events(`experiment/${found!.id}`)).filter(({ is_root }) => is_root);
  };

  const functions = async (search = '') =>
    (await listObjects(server(), `/v1/function?project_name=command%20line${search}`)).toSorted(
      (one, other) => one.name.localeCompare(other.name),
    );

  describe('eval', () => {
    let ended: Ended;
    before(async () => {
      ended = await braintrust('eval', '--jsonl', '--no-progress-bars');
    });

    it('stores what each file of the directory evaluates, with its scores', async () => {
      const events = await eventsOf('sums');
      const cases = events.map(({ input, output, expected }) => [input, output, expected]);
      expect(cases).to.have.deep.members([
        [1, 2, 2],
        [2, 3, 4],
      ]);
    });

    it('stores the error of a case, and fails', async () => {
      const events = await eventsOf('roots');
      const failed = events.find(({ input }) => input === -1);
      expect(failed?.['error']).to.match(/^no root of a negative number\n\nRangeError: /);
      expect(failed?.['output']).to.equal(null);
      expect(ended.code).to.equal(1);
      expect(ended.errors).to.include('failed with 1 error');
    });

    it('prints the summaries that the server makes', () => {
      const summaries = ended.out
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Json);
      const sums = summaries.find(({ experimentName }) => experimentName === 'sums');
      expect(sums).to.have.nested.property('scores.exact.score', 0.5);
    });

    it('compares with the base that the file names, of the cases that the filter lets through', async () => {
      const { code, out, errors } = await braintrust(
        'eval',
        'sums.eval.ts',
        '--no-progress-bars',
        '--filter',
        'input=2',
      );
      expect(code, errors).to.equal(0);
      const [, name = ''] = /sums \(baseline\) ← (\S+) \(comparison\)/.exec(out) ?? [];
      const events = await eventsOf(name);
      expect(events.map(({ input, output }) => [input, output])).to.deep.equal([[2, 3]]);
    });

    it('stores nothing without logs', async () => {
      const before = await listObjects(server(), '/v1/experiment');
      const { out } = await braintrust('eval', '--no-send-logs', '--no-progress-bars');
      expect(out).to.match(/exact +50\.00%/);
      expect(await listObjects(server(), '/v1/experiment')).to.deep.equal(before);
    });
  });

  describe('push', () => {
    it('stores prompts, scorers and parameters', async () => {
      const { out, errors } = await braintrust('push', 'resources.ts');
      expect(out + errors).to.include('1 file uploaded successfully.');
      const [answer, depth, judge] = await functions();
      expect(answer).to.deep.include({
        slug: 'answer',
        description: 'Answers a question',
        metadata: { team: 'support' },
        function_data: { type: 'prompt' },
      });
      expect(answer!['prompt_data']).to.deep.include({
        options: { model: 'small', params: { temperature: 0.5 } },
      });
      expect(judge).to.include({ slug: 'judge', function_type: 'scorer' });
      expect(judge!['prompt_data']).to.deep.nested.include({
        'parser.choice_scores': { yes: 1, no: 0 },
      });
      expect(depth).to.deep.nested.include({
        function_type: 'parameters',
        'function_data.data': { depth: 3 },
      });
    });

    it('says that a slug is taken', async () => {
      const taken = await braintrust('push', 'resources.ts');
      expect(taken.errors).to.include(
        '400 (Bad Request): functions[0].slug: "answer" already exists',
      );
      expect(taken.code).to.equal(1);
    });

    it('is told at once that code is not kept', async () => {
      const { code, out, errors } = await braintrust('push', 'code.ts');
      expect(out + errors).to.include(
        '404 (Not Found): POST /function/code: this server does not store code of functions',
      );
      expect(code).to.equal(1);
      expect(await functions('&slug=sum')).to.deep.equal([]);
    });
  });

  describe('pull', () => {
    it('writes the prompts of a project into a file, to be changed and pushed again', async () => {
      const pull = async (folder: string, ...more: readonly string[]) => {
        const project = ['--project-name', 'command line', '--output-dir', folder];
        const { code, errors } = await braintrust('pull', ...project, ...more);
        expect(code, errors).to.equal(0);

        return readFile(path.join(directory(), folder, 'command-line.ts'), 'utf8');
      };
      const [before] = await functions('&slug=answer');
      const pulled = await pull('pulled');
      expect(pulled).to.include('slug: "answer"').and.to.include('temperature: 0.5');
      const changed = path.join(directory(), 'pulled/command-line.ts');
      await writeFile(changed, pulled.replace('Be brief.', 'Be quick.'));
      const pushed = await braintrust('push', '--if-exists', 'replace', changed);
      expect(pushed.code, pushed.errors).to.equal(0);
      const [after] = await functions('&slug=answer');
      expect(after).to.include({ id: before!.id });
      expect(after!['prompt_data']).to.have.nested.property(
        'prompt.messages[0].content',
        'Be quick.',
      );
      const version = String(before!['_xact_id']);
      const past = await pull('past', '--slug', 'answer', '--version', version);
      expect(past).to.include('Be brief.').and.not.to.include('judge');
    });
  });
});
