const NAMES =
  '[\\w-]*(?:password|passwd|secret|token|api[-_]?key|authorization|cookie|private[-_]?key|encryption[-_]?key|signature)[\\w-]*';

/** What is a secret by its own look or by the name it stands under, wherever in a line of JSON it is, also in JSON within a string. */
const secrets: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`"(${NAMES})":"(?:\\\\.|[^"\\\\])*"`, 'gi'), '"$1":"[redacted]"'],
  [new RegExp(`\\\\"(${NAMES})\\\\":\\s*\\\\"[^"\\\\]*`, 'gi'), '\\"$1\\":\\"[redacted]'],
  [/\b(svc-|svcpt_|svcrt_|sk-|whsec_)[\w-]{16,}={0,2}/g, '$1[redacted]'],
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/gi, '$1 [redacted]'],
  [/:\/\/[^\s"\\/?#]*@/g, '://[redacted]@'],
  [/([?&](?:[\w-]*(?:signature|token|key|secret|password)))=[^\s"\\&#]+/gi, '$1=[redacted]'],
];

/** A line of JSON without the secrets in it, still JSON. */
export const redact = (line: string): string => secrets.reduce((text, [pattern, instead]) => text.replace(pattern, instead), line);
