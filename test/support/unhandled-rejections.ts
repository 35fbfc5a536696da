// Fails the running test on a promise that is rejected and has no handler, as the server ends on one. Mocha ignores these by itself.
process.on('unhandledRejection', (reason) => {
  throw reason;
});
