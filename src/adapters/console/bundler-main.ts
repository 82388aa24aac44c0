import { buildBundle } from './bundler.ts';

process.stdout.write(JSON.stringify(await buildBundle()));
