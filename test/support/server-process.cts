// Entry point of a server with settings that no variable sets; CommonJS for the reason that the server's is.
process.env['UV_THREADPOOL_SIZE'] ??= '32';
void import('./tuned-server.js');
