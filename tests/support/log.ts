import type { Log } from '../../src/application/ports/runtime.ts';

export const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };
