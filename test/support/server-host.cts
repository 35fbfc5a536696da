// Entry point of a process with many servers; CommonJS for the reason that the server's is.
process.env['UV_THREADPOOL_SIZE'] ??= '32';
void import('./host-servers.js');
