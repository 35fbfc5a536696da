// Programs that run a query.
import { serverAddress } from '../../server/request.js';

const bodyOf = (query: string, version: string | null) =>
  JSON.stringify({ query, ...(version === null ? {} : { version }) });

/** Quotes a text for a shell: closes and reopens the quoted text around each quote. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export const curlOf = (query: string, version: string | null): string =>
  `curl -s ${serverAddress}/query \\
  -H "Authorization: Bearer $EVALSTORE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${shellQuoted(bodyOf(query, version))}`;

export const pythonOf = (query: string, version: string | null): string =>
  `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(`${serverAddress}/query`)},
    data=json.dumps({
        "query": ${JSON.stringify(query)},${version === null ? '' : `\n        "version": ${JSON.stringify(version)},`}
    }).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["EVALSTORE_API_KEY"],
        "Content-Type": "application/json",
    },
)
rows = json.load(urllib.request.urlopen(request))["data"]`;

export const javascriptOf = (query: string, version: string | null): string =>
  `const response = await fetch(${JSON.stringify(`${serverAddress}/query`)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.EVALSTORE_API_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    query: ${JSON.stringify(query)},${version === null ? '' : `\n    version: ${JSON.stringify(version)},`}
  }),
});
const { data } = await response.json();`;
