// Runs statements on a Trino cluster, over its protocol of pages: https://trino.io/docs/current/develop/client-protocol.html
import { setTimeout as pause } from 'node:timers/promises';
import { isInOwnNetwork } from '../bucket/address.js';
import type { TrinoAddress } from './address.js';
import { ClusterError, statementError, type StatementError } from './errors.js';

/** Rows as arrays of JSON values. */
export type Page = readonly (readonly unknown[])[];

interface Answer {
  readonly nextUri?: string;
  readonly data?: Page;
  readonly error?: StatementError;
}

/** The protocol repeats requests that meet these: a proxy or a busy coordinator answers so. */
const busy: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface TrinoOptions {
  /** How long the coordinator may be silent. It answers within a second, also while a statement runs. */
  readonly silentMsMax?: number;
  /** Between requests to a busy coordinator. */
  readonly pauseMs?: number;
}

export class TrinoClient {
  /** Host and port. */
  readonly name: string;
  readonly #address: TrinoAddress;
  readonly #silentMsMax: number;
  readonly #pauseMs: number;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(address: TrinoAddress, { silentMsMax = 10_000, pauseMs = 100 }: TrinoOptions = {}) {
    const { url, user, password } = address;
    this.name = url.host;
    this.#address = address;
    this.#silentMsMax = silentMsMax;
    this.#pauseMs = pauseMs;
    const credentials = Buffer.from(`${user}:${password}`).toString('base64');
    this.#headers = {
      'X-Trino-User': user,
      'X-Trino-Source': 'evalstore',
      'X-Trino-Time-Zone': 'UTC',
      // Without it, times come in milliseconds.
      'X-Trino-Client-Capabilities': 'PARAMETRIC_DATETIME',
      ...(password === null ? {} : { Authorization: `Basic ${credentials}` }),
    };
  }

  /** @throws ClusterError 'refused' for a statement that would travel unencrypted beyond the own network */
  async requireEncryption(): Promise<void> {
    const { protocol, hostname } = this.#address.url;
    if (protocol === 'https:') return;
    const isOwn = await isInOwnNetwork(hostname).catch((error: unknown) => {
      throw this.#unreachable(error);
    });
    if (!isOwn)
      throw new ClusterError(
        'refused',
        `the cluster ${this.name} is outside of the own network: its URL has to begin with https`,
      );
  }

  /**
   * The pages of the answer, as they come. If the caller stops, so does the statement.
   * @throws ClusterError; the reason of the signal once it is aborted
   */
  async *pages(statement: string, signal: AbortSignal): AsyncGenerator<Page> {
    await this.requireEncryption();
    let next: URL | null = this.#at('v1/statement');
    let isBegun = false;
    try {
      while (next !== null) {
        const answer = await this.#ask(next, isBegun ? null : statement, signal);
        isBegun = true;
        // Behind a proxy, the coordinator may name another host; what it says is asked of the configured one.
        next = answer.nextUri === undefined ? null : this.#sameHost(answer.nextUri);
        if (answer.error !== undefined) {
          next = null;
          throw statementError(this.name, answer.error);
        }
        if (answer.data !== undefined && answer.data.length > 0) yield answer.data;
      }
    } finally {
      if (isBegun && next !== null) await this.#cancel(next);
    }
  }

  /** All rows of an answer that is known to be small. @throws as `pages` */
  async rows(statement: string, signal: AbortSignal): Promise<Page> {
    const rows: (readonly unknown[])[] = [];
    for await (const page of this.pages(statement, signal)) rows.push(...page);
    return rows;
  }

  #at(path: string): URL {
    return new URL(path, this.#address.url);
  }

  #sameHost(uri: string): URL {
    const { pathname, search } = new URL(uri);
    const path = pathname.slice(pathname.indexOf('/v1/') + 1);
    return this.#at(`${path}${search}`);
  }

  async #ask(url: URL, statement: string | null, signal: AbortSignal): Promise<Answer> {
    for (const end = Date.now() + this.#silentMsMax; ;) {
      signal.throwIfAborted();
      const response = await this.#fetch(url, statement, signal);
      if (response.status === 200) return await this.#answerOf(response, signal);
      await response.body?.cancel();
      if (!busy.has(response.status)) throw this.#rejected(response.status);
      if (Date.now() > end) throw this.#unreachable(`it answers ${response.status}`);
      await pause(this.#pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  async #fetch(url: URL, statement: string | null, signal: AbortSignal): Promise<Response> {
    const method = statement === null ? 'GET' : 'POST';
    try {
      return await fetch(url, {
        method,
        body: statement,
        headers: this.#headers,
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(this.#silentMsMax)]),
      });
    } catch (error) {
      signal.throwIfAborted();
      throw this.#unreachable(error);
    }
  }

  async #answerOf(response: Response, signal: AbortSignal): Promise<Answer> {
    try {
      return (await response.json()) as Answer;
    } catch (error) {
      signal.throwIfAborted();
      throw this.#unreachable(error);
    }
  }

  /** The statement ends at Trino, too. A coordinator that does not hear it ends it by itself after minutes. */
  async #cancel(next: URL): Promise<void> {
    const signal = AbortSignal.timeout(this.#silentMsMax);
    const sent = fetch(next, {
      method: 'DELETE',
      headers: this.#headers,
      redirect: 'error',
      signal,
    });
    await sent.then((response) => response.body?.cancel()).catch(() => {});
  }

  #rejected(status: number): ClusterError {
    const why =
      status === 401 || status === 403 ? 'user or password are wrong' : `status ${status}`;
    return new ClusterError('refused', `the cluster ${this.name} refuses requests: ${why}`);
  }

  #unreachable(reason: unknown): ClusterError {
    const cause = reason instanceof Error ? (reason.cause ?? reason) : reason;
    const why = cause instanceof Error ? cause.message : String(cause);
    return new ClusterError('unreachable', `the cluster ${this.name} does not answer: ${why}`);
  }
}
