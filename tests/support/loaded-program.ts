import { registerHooks } from 'node:module';

/** Imports a module of the program, and prints the packages that came with it. */
const packages = new Set<string>();
registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    return next(url, context);
  },
});
await import(process.argv[2] as string);
process.stdout.write(JSON.stringify([...packages]));
