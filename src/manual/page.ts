// Makes a page of HTML from a page of Markdown. HTML in the Markdown is shown as text; comments on lines of their own are left out.
import path from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';

export interface ManualPage {
  /** The last part of the address, `/docs/<name>`. */
  readonly name: string;
  /** The file of the Markdown, from the root of the repository. */
  readonly source: string;
}

/** The names of everything that pages can link to, by file from the root of the repository. */
export type Addresses = ReadonlyMap<string, string>;

const markdown = new MarkdownIt({ html: false });

/** The part of a link behind `#`, as code hosts derive it from a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');

const isElsewhere = (target: string): boolean => /^(?:#|[a-z]+:)/i.test(target);

/** The address of a link, relative to the page; null for a file that is not served. */
function addressOf(target: string, source: string, addresses: Addresses): string | null {
  if (isElsewhere(target)) return target;
  const [file = '', anchor] = target.split('#');
  const address = addresses.get(path.posix.join(path.posix.dirname(source), file));
  if (address === undefined) return null;
  return anchor === undefined ? address : `${address}#${anchor}`;
}

/** The parts of a line, whose links and pictures have addresses. What would lead to a file that is not served is no link. */
function linked(parts: readonly Token[], source: string, addresses: Addresses): Token[] {
  let isWithout = false;
  return parts.filter((token) => {
    if (token.type === 'link_close') return !isWithout;
    if (token.type === 'image')
      token.attrSet('src', addressOf(String(token.attrGet('src')), source, addresses) ?? '');
    if (token.type !== 'link_open') return true;
    const address = addressOf(String(token.attrGet('href')), source, addresses);
    isWithout = address === null;
    if (address !== null) token.attrSet('href', address);
    return !isWithout;
  });
}

function contentOf(text: string, source: string, addresses: Addresses): string {
  const tokens = markdown.parse(text, {});
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', anchorOf(tokens[index + 1]!.content));
    if (token.children !== null) token.children = linked(token.children, source, addresses);
  }
  return markdown.renderer.render(tokens, markdown.options, {});
}

const comment = /^<!--.*-->\n/gm;

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? '';

/** @param text the Markdown */
export function renderPage(text: string, { source }: ManualPage, addresses: Addresses): string {
  const content = contentOf(text.replaceAll(comment, ''), source, addresses);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${markdown.utils.escapeHtml(titleOf(text))} – Evalstore</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="manual.css">
  </head>
  <body>
    <nav><a href="index">Manual</a> <a href="language">Query language</a> <a href="../docs">API reference</a></nav>
    <main>
${content}    </main>
  </body>
</html>
`;
}
