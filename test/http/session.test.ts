// Sessions of browsers: two halves that are of no use alone, and end with their time or their key.
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { Caller, Principal, Services } from '../../src/service/context.js';
import { openSession, sessionCookie, sessionPrincipal } from '../../src/service/access/session.js';
import { outcome, sharedServer, testKey } from '../support/start-server.js';

interface Halves {
  readonly half: string;
  /** Name and value. */
  readonly cookie: string;
}

const both = ({ half, cookie }: Halves) => ({ 'x-evalstore-session': half, cookie });

describe('browser sessions', () => {
  const server = sharedServer();

  async function signIn(): Promise<Halves> {
    const answer = await server().request('POST', '/app/session');
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
    return { half: answer.json()['session'] as string, cookie };
  }

  const ask = (headers: Readonly<Record<string, string>>, path = '/ping', method = 'GET') =>
    server().request(method, path, undefined, { key: null, headers });

  const refusal = (headers: Readonly<Record<string, string>>) => outcome(ask(headers));

  it('stand for the key that opened them', async () => {
    const answer = await ask(both(await signIn()));
    const withKey = await server().request('GET', '/ping');
    expect(answer.json()).to.deep.equal(withKey.json());
  });

  it('have a cookie that no script can read and no other site can use', async () => {
    const { headers } = await server().request('POST', '/app/session');
    expect(headers.get('set-cookie')).to.match(
      /^evalstore-session-[0-9a-f]{12}=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/,
    );
    expect(headers.get('cache-control')).to.equal('no-store');
  });

  it('do not have the key in either half', async () => {
    const { half, cookie } = await signIn();
    const decoded = Buffer.from(cookie.split('=')[1] ?? '', 'base64url').toString('latin1');
    expect(half + decoded).not.to.include(testKey);
  });

  it('need both halves of the same session', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const over = [401, 'the session has ended: sign in again'];
    expect((await refusal({ cookie: one.cookie }))[0]).to.equal(401);
    expect(await refusal({ 'x-evalstore-session': one.half })).to.deep.equal(over);
    expect(await refusal(both({ half: one.half, cookie: other.cookie }))).to.deep.equal(over);
    expect(await refusal(both({ half: `${one.half}x`, cookie: one.cookie }))).to.deep.equal(over);
    for (const broken of ['', 'x', one.cookie.replace(/.$/, ''), `${one.cookie}A`, '=;=;;'])
      expect(await refusal(both({ half: one.half, cookie: broken })), broken).to.deep.equal(over);
  });

  it('are found among other cookies', async () => {
    const { half, cookie } = await signIn();
    const cookies = `theme=dark; ${cookie}; other=1`;
    expect((await ask(both({ half, cookie: cookies }))).status).to.equal(200);
  });

  it('cannot prolong themselves', async () => {
    const session = both(await signIn());
    for (const path of ['/app/session', '/app/session/', '/App/SESSION', '/app//session']) {
      const answer = await ask(session, path, 'POST');
      expect([answer.status, answer.headers.get('set-cookie')], path).to.deep.equal([401, null]);
    }
  });

  it('give way to a key, also to a wrong one', async () => {
    const headers = { ...both(await signIn()), authorization: 'Bearer wrong' };
    expect(await outcome(ask(headers))).to.deep.equal([401, 'the API key is not valid']);
  });

  it('are removed from the browser by signing out', async () => {
    const { headers, status } = await ask({}, '/app/session', 'DELETE');
    expect(status).to.equal(200);
    expect(headers.get('set-cookie')).to.match(/^evalstore-session-\w+=; Path=\/; .*Max-Age=0$/);
  });

  it('are not for pages of other sites, which may not send cookies', async () => {
    const answer = await ask({ ...both(await signIn()), origin: 'https://other.example' });
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
    expect(answer.headers.get('access-control-allow-credentials')).to.equal(null);
  });
});

describe('a session', () => {
  const principal: Principal = {
    kind: 'key',
    keyId: 'k',
    userId: 'u',
    orgIds: ['o'],
    expires: null,
    scope: null,
  };
  const caller: Caller = { ...principal, permission: 'read', requestId: 'r' };
  const keys = new Map([['k', principal]]);
  const secret = Buffer.alloc(32, 1);
  const services = {
    accounts: { principalOfKeyId: (id: string) => keys.get(id) },
    signingSecret: secret,
    config: { publicUrl: 'https://evals.example/base' },
  } as unknown as Services;
  const day = 24 * 3600 * 1000;

  it('ends after seven days', () => {
    const session = openSession(services, caller, 0);
    expect(sessionPrincipal(services, session, 7 * day - 1)).to.equal(principal);
    expect(sessionPrincipal(services, session, 7 * day)).to.equal(undefined);
  });

  it('ends with its key', () => {
    const session = openSession(services, caller, 0);
    keys.delete('k');
    expect(sessionPrincipal(services, session, 0)).to.equal(undefined);
    keys.set('k', principal);
  });

  it('is of the data directory that it was opened in', () => {
    const session = openSession(services, caller, 0);
    const elsewhere = { ...services, signingSecret: Buffer.alloc(32, 2) };
    expect(sessionPrincipal(elsewhere, session, 0)).to.equal(undefined);
  });

  it('is not opened by another text with the same signature, or of another form', () => {
    for (const text of ['["k"]', '{}', 'null', '["k", "", "x"]']) {
      const payload = Buffer.from(text);
      const code = createHmac('sha256', secret).update('session\n').update(payload).digest();
      const token = Buffer.concat([code, payload]).toString('base64url');
      expect(sessionPrincipal(services, { half: '', token }, 0), text).to.equal(undefined);
    }
  });

  it('has a cookie for TLS alone where the public address has it', () => {
    const session = openSession(services, caller, 0);
    expect(sessionCookie(services, session)).to.match(
      /^__Host-evalstore-session-\w+=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure$/,
    );
  });
});
