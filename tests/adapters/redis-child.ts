import { once } from 'node:events';
import { redisLimiter } from '../../src/adapters/rate-limiter/redis.ts';
import { quiet } from '../support/log.ts';

/** A process that counts in Redis: it connects, reports that, waits for a message, takes, and reports the result. */
const [url = '', key = '', limit = '', times = ''] = process.argv.slice(2);

const away = () => Promise.reject(new Error('Redis was away'));
const fallback = { take: away, giveBack: away };
const limiter = await redisLimiter({ url, prefix: 'processes', fallback, log: quiet });
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const charges = [{ name: 'processes', key, limit: Number(limit), windowSeconds: 60 }];
const answers = await Promise.all(Array.from({ length: Number(times) }, () => limiter.take(charges)));
process.stdout.write(`${JSON.stringify({ allowed: answers.filter(({ allowed }) => allowed).length })}\n`);
await limiter.close();
process.stdin.destroy();
