// Loaded by mocha before the tests: properties draw the same cases in every run, as all random tests do.
import * as fc from 'fast-check';
import { newSeed } from './seed.js';

fc.configureGlobal({ seed: newSeed() });
