// A worker thread that hosts engine instances, one after the other, and the calls to it. Also ends the process, even while
// such a thread is busy.
import { Worker } from 'node:worker_threads';
import { EngineError } from './engine-error.js';
import type {
  ThreadAnswer,
  ThreadCall,
  ThreadFailure,
  ThreadInterrupt,
  ThreadRequest,
} from './thread-messages.js';

interface Awaited {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: EngineError) => void;
}

/** Threads without an instance. They are kept, since starting one takes 0.25 s. */
const idle: EngineThread[] = [];
const idleMax = 3;

const busy = new Set<EngineThread>();

/**
 * After a failure of the thread, all calls except `disconnect` and `close` fail with kind `fatal`. The thread is never
 * terminated while statements run, since the driver would end the process.
 */
export class EngineThread {
  readonly #worker = new Worker(new URL('./thread-entry.js', import.meta.url));
  readonly #awaited = new Map<number, Awaited>();
  #lastCall = 0;
  #failure: EngineError | undefined;
  #exited = false;
  /** Whether the thread has a low priority, which it keeps. */
  readonly isBackground: boolean;

  private constructor(isBackground: boolean) {
    this.isBackground = isBackground;
    this.#worker.on('message', (message: ThreadAnswer | ThreadFailure) => {
      if ('failure' in message) this.#fail(message.failure);
      else this.#settle(message);
    });
    this.#worker.on('error', (error) => this.#fail(error.message));
    this.#worker.on('exit', () => {
      this.#exited = true;
      busy.delete(this);
      this.#fail('it ended');
    });
  }

  /** Returns an idle thread for an instance that is, or is not, in the background, or starts one. */
  static take(isBackground: boolean): EngineThread {
    const found = idle.findIndex((thread) => thread.isBackground === isBackground);
    return idle.splice(found, found === -1 ? 0 : 1)[0] ?? new EngineThread(isBackground);
  }

  /** Makes the thread idle. Its instance must be closed. */
  async giveBack(): Promise<void> {
    if (this.#failure === undefined && idle.length < idleMax) idle.push(this);
    else await this.end();
  }

  /** Terminates the thread, which frees its memory. Its instance must be closed. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** `connection` is a number of the caller's choice. */
  call(connection: number, request: ThreadRequest): Promise<unknown> {
    const isClosing = request.kind === 'disconnect' || request.kind === 'close';
    if (this.#failure !== undefined && (this.#exited || !isClosing))
      return Promise.reject(this.#failure);
    const message: ThreadCall = { call: ++this.#lastCall, connection, request };
    this.#post(message);
    // An idle thread does not keep the process alive.
    this.#worker.ref();
    busy.add(this);
    return new Promise((resolve, reject) => this.#awaited.set(message.call, { resolve, reject }));
  }

  interrupt(connection: number): void {
    const message: ThreadInterrupt = { interrupt: connection };
    this.#post(message);
  }

  #post(message: ThreadCall | ThreadInterrupt): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows, not of threads
    this.#worker.postMessage(message);
  }

  #settle(answer: ThreadAnswer): void {
    const awaited = this.#awaited.get(answer.call);
    this.#awaited.delete(answer.call);
    if (this.#awaited.size === 0) this.#rest();
    if ('value' in answer) awaited?.resolve(answer.value);
    else awaited?.reject(new EngineError(answer.error.kind, answer.error.message));
  }

  #rest(): void {
    this.#worker.unref();
    busy.delete(this);
  }

  #fail(reason: string): void {
    this.#failure ??= new EngineError('fatal', `the thread of the engine failed: ${reason}`);
    if (idle.includes(this)) idle.splice(idle.indexOf(this), 1);
    for (const { reject } of this.#awaited.values()) reject(this.#failure);
    this.#awaited.clear();
  }
}

/** `execve` exists since Node.js 22.15, except on Windows; the types of Node.js 20 lack it. */
interface Replaceable {
  execve?(file: string, args: readonly string[]): never;
}

/** Whether a read or write of a file has not returned. One of a file on a network that is down, or of a pipe, never may. */
const isFileInUse = (): boolean =>
  process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));

/**
 * Ends the process with status 0. Node.js would wait for reads of files, and for the engine's threads, which can be busy for minutes
 * and hold nothing that is needed. Therefore the process is replaced by a program that exits with 0 or, without `execve`, killed.
 */
export function exitProcess(): void {
  if (busy.size === 0 && !isFileInUse()) process.exit(0);
  (process as Replaceable).execve?.(process.execPath, [process.execPath, '--eval', '0']);
  process.kill(process.pid, 'SIGKILL');
}
