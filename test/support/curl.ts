// Run as a process of its own: stands in for `curl`, with the options that the commands of our pages have.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const {
  values: { header: lines, request, ...sent },
  positionals: [url = ''],
} = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    'data-binary': { type: 'string' },
    request: { type: 'string', short: 'X' },
  },
});

const data = sent.data ?? sent['data-binary'];
const form = ['Content-Type', 'application/x-www-form-urlencoded'];
const headers = new Headers(data === undefined ? [] : [form]);
for (const line of lines) {
  const [name = '', ...value] = line.split(':');
  headers.set(name, value.join(':').trim());
}
const response = await fetch(url, {
  method: request ?? (data === undefined ? 'GET' : 'POST'),
  headers,
  ...(data !== undefined && { body: data.startsWith('@') ? readFileSync(data.slice(1)) : data }),
});
process.stdout.write(Buffer.from(await response.arrayBuffer()));
