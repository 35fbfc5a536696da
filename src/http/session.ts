// Browser sessions: the operations that open and close them, and the step that resolves a session to its key.
import { unauthorised } from '../errors.js';
import { SessionAnswer, Success } from '../schema/session.js';
import type { Services } from '../service/context.js';
import { jsonReply } from '../service/reply.js';
import {
  openSession,
  sessionCookie,
  sessionCookieName,
  sessionPrincipal,
} from '../service/access/session.js';
import { operation, type DocumentedOperation } from './operation.js';
import type { Step } from './state.js';

/** The header with the half of the page. Other sites cannot send it, and the cookie is useless without it. */
const sessionHeader = 'x-evalstore-session';

const sessionPath = '/app/session';

/** Every spelling that the router finds. */
const isSessionPath = (path: string): boolean =>
  [sessionPath, `${sessionPath}/`].includes(path.toLowerCase());

const group = 'Browser sessions';

export const sessionOperations: readonly DocumentedOperation[] = [
  operation('post', sessionPath, {
    name: 'signIn',
    group,
    summary:
      'Open a browser session of 7 days. The cookie that the answer sets and `session` in the header `x-evalstore-session` together replace the key',
    answer: SessionAnswer,
    run: ({ services, caller }) => {
      const session = openSession(services, caller, Date.now());
      const expires = new Date(session.expires).toISOString();
      return jsonReply(
        JSON.stringify({ session: session.half, expires, user_id: session.userId }),
        {
          'cache-control': 'no-store',
          'set-cookie': sessionCookie(services, session),
        },
      );
    },
  }),
  operation('delete', sessionPath, {
    name: 'signOut',
    group,
    summary: 'Remove the session cookie from the browser',
    answer: Success,
    run: ({ services }) =>
      jsonReply(JSON.stringify({ status: 'ok' }), { 'set-cookie': sessionCookie(services, null) }),
  }),
];

/** Runs before the rate limit, as authentication by key does. A session cannot open another session: that requires the key. */
export function authenticateSession(services: Services): Step {
  const cookieName = sessionCookieName(services);
  return (context) => {
    const { headers } = context.req;
    const half = headers[sessionHeader];
    if (
      typeof half === 'string' &&
      headers.authorization === undefined &&
      !isSessionPath(context.path)
    ) {
      const token = context.cookies.get(cookieName) ?? '';
      const principal = sessionPrincipal(services, { half, token }, Date.now());
      if (principal === undefined)
        context.state.keyRefusal = unauthorised('the session has ended: sign in again');
      else context.state.caller = principal;
    }
  };
}
