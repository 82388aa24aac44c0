import { closest } from './closest.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const reference = /\$\$\{|\$\{([^{}]*)(\})?/g;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

const unset = (name: string, env: Environment) => {
  const meant = closest(
    name.toLowerCase(),
    Object.keys(env).map((known) => known.toLowerCase()),
  );
  return `needs the environment variable ${name}, which is not set${meant === undefined ? '' : ` (${meant.toUpperCase()} is)`}`;
};

/** Replaces each `${NAME}` by the variable's value; `$${` stands for `${` itself. What comes from a variable is not read again. */
export const substitute = (text: string, env: Environment): { readonly value: string; readonly errors: readonly string[] } => {
  const errors: string[] = [];
  const value = text.replaceAll(reference, (match: string, name: string | undefined, closed: string | undefined) => {
    if (name === undefined) return '${';
    if (closed === undefined || !variableName.test(name)) {
      errors.push('has "${" without a variable\'s name and a closing brace after it; for the characters themselves write "$${"');
      return match;
    }
    const found = Object.hasOwn(env, name) ? env[name] : undefined;
    if (found === undefined) errors.push(unset(name, env));
    return found ?? '';
  });
  return { value, errors: [...new Set(errors)] };
};
