// The entry of an engine thread: serves the requests of all connections concurrently.
import { parentPort } from 'node:worker_threads';
import { assertNever } from '../errors.js';
import { Database, type SqlFunction } from './database.js';
import { EngineError, toEngineError } from './engine-error.js';
import type { Connection } from './connection.js';
import type { RowValue } from './rows.js';
import type { Statement } from './sql.js';
import type {
  StreamedRows,
  ThreadAnswer,
  ThreadCall,
  ThreadFailure,
  ThreadInterrupt,
  ThreadOpening,
  ThreadRequest,
} from './thread-messages.js';
import { freeUnusedBuffers } from './unused-buffers.js';

type Rows = readonly (readonly RowValue[])[];

const port = parentPort!;
let database: Database | undefined;
let closing = false;
/** The latest `open`. */
let opening: Promise<void> = Promise.resolve();
const connections = new Map<number, Promise<Connection<Statement>>>();
/** The connections on which statements ran that may have changed their state. */
const changed = new Set<number>();
/** Idle connections that were only read from. They are reused, since a new one takes 0.1 ms. */
const idle: Connection<Statement>[] = [];
const idleMax = 8;
/** The latest request of each connection. */
const running = new Map<number, Promise<unknown>>();
const streams = new Map<number, AsyncGenerator<Rows, void, void>>();

/** Connects on first use, so that no round trip precedes the first statement. */
async function connectionOf(number: number): Promise<Connection<Statement>> {
  const connection = connections.get(number) ?? idle.pop() ?? opened().connectForStatements();
  connections.set(number, Promise.resolve(connection));
  return connection;
}

/** Like `connectionOf`, for statements that may change the state of the connection. */
async function changing(number: number): Promise<Connection<Statement>> {
  changed.add(number);
  return connectionOf(number);
}

function opened(): Database {
  if (database === undefined) throw new EngineError('interrupted', 'the database is closed');
  return database;
}

async function open({ file, settings, functions }: ThreadOpening): Promise<void> {
  const module = functions === null ? null : ((await import(functions)) as FunctionModule);
  database = await Database.open(file, settings, module?.scalarFunctions() ?? []);
  closing = false;
}

/** Waits for `open`, which the caller no longer awaits if the thread failed meanwhile. */
async function close(): Promise<void> {
  await opening.catch(() => {});
  closing = true;
  for (const connection of idle.splice(0)) opened().disconnect(connection);
  await database?.close();
  database = undefined;
}

interface FunctionModule {
  scalarFunctions(): readonly SqlFunction[];
}

interface WorkModule {
  run(argument: unknown): Promise<unknown>;
}

async function answer(number: number, request: ThreadRequest): Promise<unknown> {
  switch (request.kind) {
    case 'open':
      opening = open(request.opening);
      await opening;
      return null;
    case 'disconnect':
      await disconnect(number);
      return null;
    case 'run':
      await (await changing(number)).run(request.statement);
      return null;
    case 'read':
      return (await connectionOf(number)).read(request.statement);
    case 'next':
      if (request.query !== null)
        streams.set(number, (await connectionOf(number)).stream(request.query));
      return nextRows(number);
    case 'leave':
      await leaveStream(number);
      return null;
    case 'consume': {
      const { query, consumer, argument } = request;
      return (await connectionOf(number)).consume(query, new URL(consumer), argument);
    }
    case 'append':
      await (await changing(number)).append(request.table, request.chunks);
      return null;
    case 'module':
      return ((await import(request.url)) as WorkModule).run(request.argument);
    case 'close':
      await close();
      return null;
    default:
      return assertNever(request);
  }
}

// A caller that abandoned a statement may disconnect before it ends.
async function disconnect(number: number): Promise<void> {
  await running.get(number);
  running.delete(number);
  await leaveStream(number);
  const connecting = connections.get(number);
  connections.delete(number);
  if (connecting === undefined) return;
  const connection = await connecting;
  const isAsNew = !changed.delete(number);
  if (isAsNew && !closing && idle.length < idleMax) idle.push(connection);
  else opened().disconnect(connection);
}

/** With at least this many rows, a chunk is posted in a message of its own. */
const postedRowsMin = 256;

async function nextRows(number: number): Promise<StreamedRows> {
  const stream = streams.get(number);
  // A stream that fails has ended.
  streams.delete(number);
  if (stream === undefined) return { rows: [], isLast: true };
  const first = await stream.next();
  if (first.done === true) return { rows: [], isLast: true };
  if (first.value.length < postedRowsMin) {
    // Usually there are no more rows.
    const second = await stream.next();
    if (second.done === true) return { rows: first.value, isLast: true };
    streams.set(number, stream);
    return { rows: [...first.value, ...second.value], isLast: false };
  }
  streams.set(number, stream);
  return { rows: first.value, isLast: false };
}

async function leaveStream(number: number): Promise<void> {
  const stream = streams.get(number);
  streams.delete(number);
  await stream?.return();
}

async function post(call: number, work: Promise<unknown>): Promise<void> {
  const message: ThreadAnswer = await work.then(
    (value) => ({ call, value }),
    (error: unknown) => {
      const { kind, message: text } = toEngineError(error);
      return { call, error: { kind, message: text } };
    },
  );
  port.postMessage(message);
  freeUnusedBuffers();
}

function serve({ call, connection, request }: ThreadCall): void {
  const answered = post(call, answer(connection, request));
  if (request.kind !== 'disconnect') running.set(connection, answered);
}

function interrupt({ interrupt: number }: ThreadInterrupt): void {
  // If the connection cannot be opened, its requests report the error.
  connections.get(number)?.then(
    (connection) => connection.interrupt(),
    () => {},
  );
}

port.on('message', (message: ThreadCall | ThreadInterrupt) => {
  if ('interrupt' in message) interrupt(message);
  else serve(message);
});

// The thread continues, so that its instance can be closed.
process.on('uncaughtException', (error) => {
  const failure: ThreadFailure = { failure: error.message };
  port.postMessage(failure);
});
