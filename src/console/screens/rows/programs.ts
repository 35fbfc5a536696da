// Programs that run a query.
import { timeZone } from '../../server/query.js';
import { serverAddress } from '../../server/request.js';

/** The body of the request, with the time zone of the screen. */
const bodyOf = (query: string, version: string | null) => ({
  query,
  ...(version === null ? {} : { version }),
  tz_offset: timeZone(),
});

/** The members of the body, each on its line. */
const membersOf = (body: object, indentation: string, nameOf: (name: string) => string): string =>
  Object.entries(body)
    .map(([name, value]) => `\n${indentation}${nameOf(name)}: ${JSON.stringify(value)},`)
    .join('');

/** Quotes a text for a shell: closes and reopens the quoted text around each quote. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export const curlOf = (query: string, version: string | null): string =>
  `curl -s ${serverAddress}/query \\
  -H "Authorization: Bearer $EVALSTORE_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${shellQuoted(JSON.stringify(bodyOf(query, version)))}`;

export const pythonOf = (query: string, version: string | null): string =>
  `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(`${serverAddress}/query`)},
    data=json.dumps({${membersOf(bodyOf(query, version), '        ', (name) => JSON.stringify(name))}
    }).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["EVALSTORE_KEY"],
        "Content-Type": "application/json",
    },
)
rows = json.load(urllib.request.urlopen(request))["data"]`;

export const javascriptOf = (query: string, version: string | null): string =>
  `const response = await fetch(${JSON.stringify(`${serverAddress}/query`)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.EVALSTORE_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({${membersOf(bodyOf(query, version), '    ', (name) => name)}
  }),
});
const { data } = await response.json();`;
