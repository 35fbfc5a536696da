// Bearer key -> caller. A request without a key goes on as anonymous, one with a wrong key is counted and refused.
import { RequestError } from '../errors.js';
import { unauthorised } from '../service/access.js';
import type { Accounts, Principal } from '../service/context.js';
import type { Middleware } from './state.js';

const bearer = /^Bearer +(\S+)$/i;

function principalOf(accounts: Accounts, header: string): Principal {
  const key = bearer.exec(header)?.[1];
  if (key === undefined) {
    throw unauthorised('the header Authorization must have the form "Bearer <API_KEY>"');
  }
  const principal = accounts.principal(key);
  if (principal === undefined) throw unauthorised('the API key is not valid');
  return principal;
}

export const authenticate =
  (accounts: Accounts): Middleware =>
  (context, next) => {
    const header = context.req.headers.authorization;
    try {
      if (header !== undefined) context.state.caller = principalOf(accounts, header.trim());
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      context.state.keyRefusal = error;
    }
    return next();
  };

/** Comes after the rate limit, so that keys cannot be tried at any rate. */
export const refuseWrongKeys: Middleware = (context, next) => {
  if (context.state.keyRefusal !== undefined) throw context.state.keyRefusal;
  return next();
};
