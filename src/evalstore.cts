// Entry point. CommonJS, because libuv fixes the size of its thread pool at first use and loading an
// ES module already uses it: four heavy queries would otherwise hold all four default threads.
process.env['UV_THREADPOOL_SIZE'] ??= '32';
void import('./main.js');
