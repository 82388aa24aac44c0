// Lines hold what strangers send. So each pattern begins with a character that its repetitions exclude, and what follows a repetition
// is excluded from it too: no part of a line is read for two matches, or twice for one.

const SECRET_NAME = /password|passwd|secret|token|api[-_]?key|authorization|cookie|private[-_]?key|encryption[-_]?key|signature/i;
const SECRET_PARAMETER = /(?:signature|token|key|secret|password)$/i;

/** What stands under a name: in JSON, in JSON within a string, in the query of an address. */
const named: readonly (readonly [pattern: RegExp, name: RegExp])[] = [
  [/(")([\w-]+)(":")[^"\\]*(?:\\.[^"\\]*)*/g, SECRET_NAME],
  [/(\\")([\w-]+)(\\":\s*\\")[^"\\]*/g, SECRET_NAME],
  [/([?&])([\w-]+)(=)[^\s"\\&#]+/g, SECRET_PARAMETER],
];

/** What is a secret by its own look, wherever it is. */
const known: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(svc-|svcpt_|svcrt_|sk-|whsec_)[\w-]{16,}={0,2}/g, '$1[redacted]'],
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/gi, '$1 [redacted]'],
  [/:\/\/[^\s"\\/?#]*@/g, '://[redacted]@'],
];

const MAY_BE_NAMED = new RegExp(`${SECRET_NAME.source}|key=`, 'i');

const redactNamed = (line: string): string =>
  named.reduce(
    (text, [pattern, secret]) =>
      text.replace(pattern, (all: string, before: string, name: string, between: string) =>
        secret.test(name) ? `${before}${name}${between}[redacted]` : all,
      ),
    line,
  );

/** A line of JSON without the secrets in it, still JSON. */
export const redact = (line: string): string =>
  known.reduce((text, [pattern, instead]) => text.replace(pattern, instead), MAY_BE_NAMED.test(line) ? redactNamed(line) : line);
