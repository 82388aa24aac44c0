import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import sqlite from 'node:sqlite';
import { getSystemErrorMap } from 'node:util';
import { Worker } from 'node:worker_threads';

// Runs in a reader before any library that parses files, and takes away what Node's permission model leaves a process. It does so at
// the native classes: all of Node's own code calls their methods, so no module and no global is a way around. If a version of Node
// lacks one of the names, the reader does not start.

const maxMemoryBytes = Number(process.argv.at(-1)) * 1_048_576;

// Its own thread, because it has to act while a hostile file keeps this one busy: it ends the process that
// outgrows its memory, or whose server is gone.
const watchdog = new Worker(
  `const { workerData: { maxMemoryBytes, parent } } = require('node:worker_threads');
   setInterval(() => {
     if (process.memoryUsage.rss() > maxMemoryBytes || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
   }, 50);`,
  { eval: true, execArgv: [], workerData: { maxMemoryBytes, parent: process.ppid } },
);
watchdog.unref();

const EACCES = [...getSystemErrorMap()].find(([, [name]]) => name === 'EACCES')?.[0];
/** Native methods answer with the number of an error, which Node's own code turns into an error of the stream or socket. */
const fail = () => EACCES;

// Not an arrow function, because it stands for classes too.
function refuse(): never {
  throw Object.assign(new Error('a reader of files may not do this'), { code: 'ERR_ACCESS_DENIED' });
}

const remove = (target: object, names: RegExp, instead: () => unknown): void => {
  const properties = Object.getOwnPropertyNames(target).filter((name) => names.test(name));
  if (properties.length === 0) throw new Error(`this version of Node has nothing that is named ${names}`);
  for (const name of properties)
    Object.defineProperty(target, name, { value: instead, writable: false, configurable: false });
};

/** The prototype of the native object of this class that one of these objects has as a property. */
const native = (className: string, ...holders: readonly object[]): object => {
  const values = holders.flatMap((holder) => Reflect.ownKeys(holder).map((key): unknown => Reflect.get(holder, key)));
  const native = values.find((value) => value instanceof Object && value.constructor.name === className);
  if (!(native instanceof Object)) throw new Error(`this version of Node has no native class ${className}`);
  return Object.getPrototypeOf(native);
};

remove(native('Worker', watchdog), /^startThread$/, refuse);

// To connect is what makes the native object; it takes place after this turn, and not at all when the socket is gone by then.
const tcp = new net.Socket().on('error', () => undefined).connect({ host: '127.0.0.1', port: 1 });
remove(native('TCP', tcp), /^(?:open|bind|listen|connect)/, fail);
tcp.destroy();
remove(native('Pipe', process.stdin), /^(?:open|bind|listen|connect)/, fail);
const udp = dgram.createSocket('udp4');
const udpState = Object.getOwnPropertySymbols(udp).map((symbol): unknown => Reflect.get(udp, symbol));
remove(native('UDP', ...udpState.filter((value) => value instanceof Object)), /^(?:open|bind|connect|send)/, fail);
udp.close();
remove(native('ChannelWrap', new dns.Resolver()), /^(?:query|getHostByAddr)/, fail);
for (const resolver of [dns, dns.promises]) remove(resolver, /^lookup/, refuse);

// SQLite opens files by itself, which the permission model does not see.
remove(sqlite, /^(?:DatabaseSync|backup)$/, refuse);

remove(process, /^(?:_?kill|_debugProcess)$/, refuse);
syncBuiltinESMExports();
