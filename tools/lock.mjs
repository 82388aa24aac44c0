// One process at a time, over processes that may be killed at any moment.

import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';

const HEARTBEAT_MS = 1000;
const ABANDONED_MS = 15_000;

/** @param {string} file */
const read = (file) => {
  try {
    return { text: readFileSync(file, 'utf8'), age: Date.now() - statSync(file).mtimeMs };
  } catch {
    return null;
  }
};

/** @param {number} pid */
const runs = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
};

/**
 * A holder is gone if its process is, or, on another machine, if its heart has stopped.
 * @param {{ text: string, age: number }} seen
 */
const abandoned = ({ text, age }) => {
  const [host, pid] = text.split(' ');
  return age > ABANDONED_MS || (host === hostname() && pid !== undefined && !runs(Number(pid)));
};

/**
 * Takes an abandoned lock out of the way; one that another process took in between is put back.
 * @param {string} file
 * @param {{ text: string }} seen
 */
const clear = (file, seen) => {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    const text = read(aside)?.text;
    if (text !== undefined && text !== seen.text) take(file, text);
  } catch {
    // Another one cleared it first.
  }
  rmSync(aside, { force: true });
};

/**
 * Only one process can make the file. A file that is still being written looks like a lock of an unknown holder until it is old.
 * @param {string} file
 * @param {string} text
 */
const take = (file, text) => {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    return false;
  }
};

/**
 * Does the work while it holds the lock; calls `waiting` once if another process holds it.
 * @template T
 * @param {string} file
 * @param {() => void} waiting
 * @param {() => Promise<T>} work
 */
export const holding = async (file, waiting, work) => {
  const text = `${hostname()} ${process.pid} ${randomUUID()}`;
  let hasCalled = false;
  while (!take(file, text)) {
    const seen = read(file);
    if (seen && abandoned(seen)) clear(file, seen);
    else if (seen) {
      if (!hasCalled) waiting();
      hasCalled = true;
      await setTimeout(200);
    }
  }
  const heart = setInterval(() => {
    const now = new Date();
    if (read(file)?.text === text) utimesSync(file, now, now);
  }, HEARTBEAT_MS);
  const release = () => {
    if (read(file)?.text === text) rmSync(file, { force: true });
  };
  process.once('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(heart);
    process.off('exit', release);
    release();
  }
};
