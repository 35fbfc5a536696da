// Entry point. CommonJS, because libuv fixes the size of its thread pool at first use, and loading an ES module uses it. With
// the default size, four heavy queries would occupy all threads.
process.env['UV_THREADPOOL_SIZE'] ??= '32';
void import('./main.js');
