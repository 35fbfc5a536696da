// A listening socket from the parent process, by the protocol of systemd (sd_listen_fds(3)). It outlives the server, so clients that
// connect during a restart wait instead of being refused.
import { ConfigError } from '../config.js';

/** The first descriptor that systemd passes. */
const firstDescriptor = 3;

/**
 * The descriptor of the socket; null if the parent passed none to the process with this id.
 * @throws ConfigError if it passed several
 */
export function inheritedSocket(
  { LISTEN_PID: pid, LISTEN_FDS: count }: Readonly<Record<string, string | undefined>>,
  ownPid: number,
): number | null {
  if (count === undefined || pid !== String(ownPid)) return null;
  if (count !== '1') throw new ConfigError(`LISTEN_FDS: expected 1 socket, got "${count}"`);
  return firstDescriptor;
}
