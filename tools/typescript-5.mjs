import { registerHooks } from 'node:module';

/**
 * Gives TypeScript 5 to a package that works by the API of its compiler, which TypeScript 7 no longer has. To be called before its import.
 * @param {string} name
 */
export const withTypeScript5 = (name) =>
  registerHooks({
    resolve: (specifier, context, next) => {
      const isAsked = /^typescript(\/|$)/.test(specifier) && context.parentURL?.includes(`/node_modules/${name}/`);
      return next(isAsked ? specifier.replace('typescript', 'typescript-5') : specifier, context);
    },
  });
