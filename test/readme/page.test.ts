// Pages of the manual as HTML.
import { expect } from 'chai';
import { renderPage } from '../../src/manual/page.js';

const addresses = new Map([
  ['src/manual/python.md', 'python'],
  ['grammar/README.md', 'language'],
  ['grammar/reference/sql.md', 'language-sql'],
  ['src/manual/evalstore.py', 'evalstore.py'],
]);

const render = (text: string): string =>
  renderPage(text, { name: 'spans', source: 'src/manual/spans.md' }, addresses);

const contentOf = (text: string): string =>
  /<main>\n([\s\S]*?) *<\/main>/.exec(render(text))?.[1]?.trim() ?? '';

describe('a page of the manual', () => {
  it('shows HTML as text, and leaves out comments on lines of their own', () => {
    expect(contentOf('a <b onclick="x">b</b>')).to.equal(
      '<p>a &lt;b onclick=&quot;x&quot;&gt;b&lt;/b&gt;</p>',
    );
    expect(contentOf('<script>x</script>')).to.equal('<p>&lt;script&gt;x&lt;/script&gt;</p>');
    expect(contentOf('<!-- spans -->\n\n| a |\n| - |\n\n<!-- /spans -->\n')).to.equal(
      '<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n</table>',
    );
  });

  it('has no links that run something', () => {
    expect(contentOf('[a](javascript:alert(1))')).to.equal('<p>[a](javascript:alert(1))</p>');
    expect(contentOf('[a](data:text/html,b)')).to.equal('<p>[a](data:text/html,b)</p>');
  });

  it('links to other pages by their addresses, and does not link to files that are not served', () => {
    const link = (target: string) => contentOf(`[a](${target})`);
    expect(link('python.md')).to.equal('<p><a href="python">a</a></p>');
    expect(link('../../grammar/README.md#pages')).to.equal('<p><a href="language#pages">a</a></p>');
    expect(link('../../grammar/reference/sql.md')).to.equal('<p><a href="language-sql">a</a></p>');
    expect(link('evalstore.py')).to.equal('<p><a href="evalstore.py">a</a></p>');
    expect(link('#sql')).to.equal('<p><a href="#sql">a</a></p>');
    expect(link('https://example.com/a')).to.equal('<p><a href="https://example.com/a">a</a></p>');
    expect(contentOf('[a **b**](../otlp/mapping.ts) [c](python.md)')).to.equal(
      '<p>a <strong>b</strong> <a href="python">c</a></p>',
    );
  });

  it('gives headings their anchors, and the first one is the title', () => {
    const html = render('# Spans & `id`s\n\n## OpenTelemetry, and more\n');
    expect(html).to.include('<title>Spans &amp; `id`s – Evalstore</title>');
    expect(html).to.include('<h1 id="spans--ids">');
    expect(html).to.include('<h2 id="opentelemetry-and-more">');
  });
});
