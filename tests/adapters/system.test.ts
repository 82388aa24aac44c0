import { type StdioOptions, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { apiKeys } from '../../src/adapters/system/api-keys.ts';
import {
  loadEncryptionKey,
  parseEncryptionKey,
  parseEncryptionKeys,
} from '../../src/adapters/system/encryption-key.ts';
import { pinoLog, redact } from '../../src/adapters/system/log.ts';
import { monotonicClock, systemClock, uuidIds } from '../../src/adapters/system/runtime.ts';
import { aesSealer } from '../../src/adapters/system/sealer.ts';
import { busy, DomainError } from '../../src/domain/errors.ts';
import { sealerContract } from '../contracts/sealer.ts';

describe('the clocks of the system', () => {
  it('tell the time, and how long something lasts', () => {
    expect(systemClock.now()).to.be.instanceOf(Date);
    const first = monotonicClock.now();
    expect(monotonicClock.now()).to.be.at.least(first);
  });
});

describe('ids', () => {
  it('are version 7 UUIDs of now', () => {
    const before = Date.now();
    const id = uuidIds.next();
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).to.be.within(before, Date.now() + 1);
  });

  it('only grow, and none comes twice', () => {
    const ids = Array.from({ length: 20_000 }, () => uuidIds.next());
    expect(ids).to.deep.equal([...new Set(ids)].sort());
  });

  it('of traces are 32 hexadecimal digits', () => {
    expect(uuidIds.traceId()).to.match(/^(?!0{32})[0-9a-f]{32}$/);
  });
});

describe('API keys', () => {
  it('are the prefix and 40 base62 characters that end in the CRC-32 of the ones before', () => {
    const { key, hash } = apiKeys.generate();
    expect(key).to.match(/^svc-[0-9A-Za-z]{40}$/);
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const sum = [...key.slice(-6)].reduce((value, digit) => value * 62 + digits.indexOf(digit), 0);
    expect(sum).to.equal(crc32(key.slice(4, 38)));
    expect(hash).to.equal(createHash('sha256').update(key).digest('hex'));
    expect(apiKeys.hashOf(key)).to.equal(hash);
  });

  it('use every character, and none much more than another', () => {
    const counts = new Map<string, number>();
    for (let made = 0; made < 1000; made++) {
      for (const digit of apiKeys.generate().key.slice(4, 38)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    expect(counts).to.have.property('size', 62);
    expect(Math.max(...counts.values()) / Math.min(...counts.values())).to.be.below(1.8);
  });

  it('with a typo are no keys', () => {
    const { key } = apiKeys.generate();
    for (let at = 4; at < key.length; at++) {
      const typo = `${key.slice(0, at)}${key[at] === 'a' ? 'b' : 'a'}${key.slice(at + 1)}`;
      expect(apiKeys.hashOf(typo), typo).to.equal(null);
    }
    for (const text of [
      '',
      'svc-',
      key.slice(0, -1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      key.toUpperCase(),
      `SVC-${key.slice(4)}`,
    ]) {
      expect(apiKeys.hashOf(text), text).to.equal(null);
    }
  });

  it('have a checksum that fills up with zeros', () => {
    const sums = Array.from({ length: 500 }, () => apiKeys.generate().key.slice(-6));
    expect(sums.some((sum) => sum.startsWith('0'))).to.equal(true);
  });
});

describe('the sealer', () =>
  sealerContract(async () => ({ sealer: aesSealer(randomBytes(32)), other: aesSealer(randomBytes(32)) })));

describe('the encryption key', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portico-key-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is read as base64, base64url or hexadecimal', () => {
    const key = Buffer.alloc(32, 0xfb);
    for (const text of [
      key.toString('base64'),
      key.toString('base64url'),
      key.toString('hex'),
      key.toString('hex').toUpperCase(),
      `${key.toString('base64')}\n`,
    ]) {
      expect(Buffer.from(parseEncryptionKey(text)), text).to.deep.equal(key);
    }
  });

  it('may be a list: the first seals, and all of them open', () => {
    const [old, young, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    const list = `${young.toString('base64')} , ${old.toString('hex')}`;
    expect(parseEncryptionKeys(list).map((key) => Buffer.from(key))).to.deep.equal([young, old]);
    const both = aesSealer(young, old);
    expect(both.open(aesSealer(old).seal('hush'))).to.equal('hush');
    expect(aesSealer(young).open(both.seal('hush'))).to.equal('hush');
    expect(() => both.open(aesSealer(foreign).seal('hush'))).to.throw(Error, /another ENCRYPTION_KEY/);
    for (const empty of [`${list},`, `,${list}`, young.toString('hex').concat(',,', old.toString('hex'))])
      expect(() => parseEncryptionKeys(empty), empty.slice(-4)).to.throw(Error, /^ENCRYPTION_KEY must be 32 bytes/);
  });

  it('that is no 32 bytes is refused by name, without being shown', () => {
    const odd = [
      '',
      'hunter2',
      'a'.repeat(63),
      'g'.repeat(64),
      randomBytes(31).toString('base64'),
      randomBytes(33).toString('base64'),
      `${'A'.repeat(42)}!=`,
    ];
    for (const text of odd) {
      expect(() => parseEncryptionKey(text), text)
        .to.throw(Error, /^ENCRYPTION_KEY must be 32 bytes/)
        .with.property('message')
        .that.does.not.include(text || 'hunter2');
    }
  });

  it('is made on first use, for its owner alone, and stays', async () => {
    const dataDir = path.join(folder, 'new', 'data');
    const key = await loadEncryptionKey(dataDir);
    expect(key).to.have.length(32);
    expect(Buffer.from(await loadEncryptionKey(dataDir))).to.deep.equal(Buffer.from(key));
    expect(await readdir(dataDir)).to.deep.equal(['encryption.key']);
    if (process.platform !== 'win32')
      expect((await stat(path.join(dataDir, 'encryption.key'))).mode & 0o777).to.equal(0o600);
  });

  it('is one and the same for all who start at once', async () => {
    const keys = await Promise.all(Array.from({ length: 25 }, () => loadEncryptionKey(folder)));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex')))).to.have.property('size', 1);
    expect(await readdir(folder)).to.deep.equal(['encryption.key']);
  });

  it('that was spoilt is refused by its file, and left as it is', async () => {
    const file = path.join(folder, 'encryption.key');
    await writeFile(file, 'spoilt');
    const error = await loadEncryptionKey(folder).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error).with.property('message').that.includes(file);
    expect(await readFile(file, 'utf8')).to.equal('spoilt');
  });
});

describe('the log', () => {
  const logged = (write: (log: ReturnType<typeof pinoLog>) => void, level: 'debug' | 'info' = 'info') => {
    const lines: string[] = [];
    write(pinoLog({ level, lines: { write: (line) => lines.push(line) } }));
    return lines.map((line) => JSON.parse(line));
  };

  it('is lines of JSON: time, level, fields, one sentence', () => {
    const [line] = logged((log) => log.info({ run_id: 'r1', usage: { input_tokens: 3 } }, 'run completed'));
    expect(line).to.include({ level: 'info', run_id: 'r1', msg: 'run completed', pid: process.pid });
    expect(line.usage).to.deep.equal({ input_tokens: 3 });
    expect(line.time).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('leaves out what is below its level', () => {
    const all = (log: ReturnType<typeof pinoLog>) => {
      log.debug({}, 'a');
      log.info({}, 'b');
      log.warn({}, 'c');
      log.error({}, 'd');
    };
    expect(logged(all).map(({ msg }) => msg)).to.deep.equal(['b', 'c', 'd']);
    expect(logged(all, 'debug')).to.have.length(4);
  });

  it('ends no program, and does not keep it from its end, where its disk is full', async function () {
    const full = await open('/dev/full', 'w').catch(() => null);
    if (full === null) return this.skip();
    const module = path.resolve(import.meta.dirname, '../../src/adapters/system/log.ts');
    const code = `
      import { pinoLog } from ${JSON.stringify(module)};
      import { setTimeout as sleep } from 'node:timers/promises';
      for (const sync of [false, true]) {
        const log = pinoLog({ level: 'info', sync });
        for (let each = 0; each < 3; each += 1) {
          log.info({}, 'a line');
          await sleep(50);
        }
      }
      process.exit(3);`;
    const stdio: StdioOptions = ['ignore', 'ignore', full.fd];
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio,
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    try {
      expect(await once(child, 'exit')).to.deep.equal([3, null]);
    } finally {
      await full.close();
    }
  });

  it('names no place for an error that says in words what is wrong', () => {
    const cause = new Error('timeout exceeded when trying to connect');
    const errors = [
      busy('The database has too much to do', cause),
      new DomainError('unavailable', 'The mail server does not answer.', { cause }),
    ];
    for (const err of errors) {
      const [line] = logged((log) => log.warn({ err }, 'maintenance failed'));
      expect(line.err).to.have.all.keys('type', 'message', 'code', 'cause');
      expect(line.err.cause).to.deep.equal({ type: 'Error', message: cause.message });
    }
  });

  it('tells of an error its words, code, place and cause, and nothing that hangs on it', () => {
    const cause = Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED', address: '10.0.0.1' });
    const error = Object.assign(new Error('no answer', { cause }), {
      parameters: ['4111 1111'],
      requestBodyValues: { a: 'private' },
    });
    const [line] = logged((log) => log.error({ err: error, error }, 'step failed'));
    expect(line.err).to.include({ type: 'Error', message: 'no answer' });
    expect(line.err.stack).to.include('system.test.ts');
    expect(line.err.cause).to.include({ message: 'connect failed', code: 'ECONNREFUSED' });
    expect(line.error.message).to.equal('no answer');
    expect(JSON.stringify(line)).not.to.match(/4111|private|10\.0\.0\.1/);
  });

  it('never shows a secret, wherever it stands', () => {
    const { key } = apiKeys.generate();
    const token = `svcpt_${'a1B2'.repeat(10)}`;
    const fields = {
      key,
      headers: {
        'X-API-Key': 'plain-1',
        authorization: 'Bearer plain-2-token',
        cookie: 'sid=plain-3',
        'content-type': 'text/plain',
      },
      deep: [{ a: { b: { c: { d: { clientSecret: 'plain-4 "quoted" \\ tail', DATABASE_PASSWORD: 'plain-5' } } } } }],
      url: 'postgres://portico:pl@in-6@db:5432/erp?sslmode=require',
      body: JSON.stringify({ password: 'plain-7', total: 12 }),
      upload: 'https://files.example/blobs/a?expires=1&signature=plain-8',
      err: new Error(`401 for ${key} and ${token} at https://me:plain-9@host/`, {
        cause: new Error('Authorization: Bearer plain-10-xyz'),
      }),
      openai: 'sk-proj-plain11plain11plain11',
    };
    const [line] = logged((log) => log.warn(fields, `${key} was used with Bearer plain-12-abc`));
    const text = JSON.stringify(line);
    expect(text).not.to.match(/plain-\d|pl@in|plain11|quoted|tail/);
    expect(text).not.to.include(key).and.not.to.include(token);
    expect(line.headers['content-type']).to.equal('text/plain');
    expect(line.url).to.equal('postgres://[redacted]@db:5432/erp?sslmode=require');
    expect(line.body).to.include('"total":12');
  });

  it('reads each part of a line once, whatever strangers put in it', () => {
    const long = (part: string) => part.repeat(1_000_000 / part.length);
    const lines = {
      name: `"${long('token')}`,
      names: long('"token":"'),
      value: `"token":"${long('a')}`,
      escapes: `"token":"${long('\\\\')}`,
      inner: `\\"${long('token')}`,
      inners: long('\\"token\\":\\"'),
      space: `\\"token\\":${long(' ')}`,
      keys: long('svc-svcpt_'),
      bearer: `Bearer ${long('a')}`,
      bearers: long('Bearer '),
      address: `://${long('a')}`,
      addresses: long('://a'),
      parameter: `?${long('token')}`,
      parameters: long('&token=a'),
      query: `?${long('key-')}=`,
    };
    // Many times what it takes; a pattern that goes back and forth takes hours.
    const redacted = runInNewContext('lines.map(redact)', { redact, lines: Object.values(lines) }, { timeout: 15_000 });
    expect(redacted).to.have.length(Object.keys(lines).length);
  });
});
