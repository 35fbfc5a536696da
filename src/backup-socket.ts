// How `evalstore backup` asks a running server for a copy of its data directory: by a Unix socket in the directory, which only its
// owner can use. The server keeps the copy until the connection closes, so a killed backup leaves nothing behind.
import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { PinnedDirectory } from './store/event-store.js';

type Pin = (target: string) => Promise<PinnedDirectory>;

/** What every system allows; from some lengths on, Node.js would use the beginning of the path. */
const socketBytesMax = 103;

/** Relative to the working directory if that is shorter. Null if the path is too long for a socket. */
function socketOf(dataDirectory: string): string | null {
  const file = path.resolve(dataDirectory, 'backup.sock');
  const short = [path.relative('', file), file].find(
    (name) => Buffer.byteLength(name) <= socketBytesMax,
  );
  return short ?? null;
}

const tooLong = `no backups while the server runs: the path of the data directory is too long for a socket, which may have ${socketBytesMax} bytes`;

export class BackupSocket {
  readonly #server: Server;
  readonly #copies = new Set<Promise<void>>();

  private constructor(dataDirectory: string, pin: Pin, log: Logger) {
    this.#server = createServer((_request, response) => {
      const closed = once(response, 'close');
      const target = path.join(dataDirectory, 'tmp', `backup-${randomUUID()}`);
      const kept = (async () => {
        try {
          const { directory, transaction, logs } = await pin(target);
          response.write(
            `${JSON.stringify({ directory, transaction: String(transaction), logs })}\n`,
          );
          await closed;
        } catch (error) {
          log.error({ err: error }, 'the data directory cannot be pinned for a backup');
          response.writeHead(503).end(error instanceof Error ? error.message : String(error));
        } finally {
          await rm(target, { recursive: true, force: true }).catch((error: unknown) =>
            log.error({ err: error }, 'the copy for a backup cannot be removed'),
          );
        }
      })();
      this.#copies.add(kept);
      void kept.then(() => this.#copies.delete(kept));
    });
  }

  /** Call it while no other server uses the directory. Where the system refuses the socket, there is none, and a log line. */
  static async open(dataDirectory: string, pin: Pin, log: Logger): Promise<BackupSocket> {
    const opened = new BackupSocket(dataDirectory, pin, log);
    const file = socketOf(dataDirectory);
    if (file === null) {
      log.warn({ directory: dataDirectory }, tooLong);
      return opened;
    }
    try {
      // Of a process that was killed.
      await rm(file, { force: true });
      opened.#server.listen(file);
      await once(opened.#server, 'listening');
      await chmod(file, 0o600);
    } catch (error) {
      log.warn(
        { err: error, file },
        'no backups while the server runs: the socket cannot be opened',
      );
    }
    return opened;
  }

  /** Ends running backups, and removes their copies. */
  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.all(this.#copies);
  }
}

export interface AskedCopy extends PinnedDirectory {
  /** Whether the server has ended, and the copy with it. */
  isLost(): boolean;
  release(): void;
}

/**
 * Asks the server that uses the directory. Null if none answers.
 * @throws Error if the server cannot make the copy
 */
export async function askForCopy(dataDirectory: string): Promise<AskedCopy | null> {
  const socketPath = socketOf(dataDirectory);
  if (socketPath === null) return null;
  const asking = request({ socketPath, path: '/', agent: false });
  asking.end();
  let response: IncomingMessage;
  try {
    [response] = (await once(asking, 'response')) as [IncomingMessage];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return null;
    throw new Error(`the server of ${dataDirectory} does not answer: ${String(code)}`, {
      cause: error,
    });
  }
  asking.on('error', () => {});
  let text = '';
  response.setEncoding('utf8');
  const [line] = await new Promise<string[]>((resolve, reject) => {
    response.on('error', reject);
    response.on('end', () => resolve([text]));
    response.on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith('\n')) resolve([text]);
    });
  });
  if (response.statusCode !== 200) throw new Error(`the server cannot be backed up: ${line}`);
  const { transaction, ...copy } = JSON.parse(line!) as Omit<PinnedDirectory, 'transaction'> & {
    readonly transaction: string;
  };
  return {
    ...copy,
    transaction: BigInt(transaction),
    isLost: () => response.closed,
    release: () => asking.destroy(),
  };
}
