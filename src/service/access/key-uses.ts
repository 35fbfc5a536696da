// Stores the last use of each key once a minute, outside of requests.
import type { Logger } from 'pino';
import type { Accounts } from '../context.js';

const minuteMs = 60_000;

export interface KeyUseWriter {
  /** Stores the remaining uses. */
  close(): Promise<void>;
}

export function startKeyUseWriter(accounts: Accounts, log: Logger): KeyUseWriter {
  const store = () =>
    accounts
      .storeUses()
      .catch((error: unknown) =>
        log.error({ err: error }, 'the last uses of keys cannot be stored'),
      );
  const timer = setInterval(() => void store(), minuteMs).unref();
  return {
    close: () => {
      clearInterval(timer);
      return store();
    },
  };
}
