const BEGINS = /^\s*BEGIN:V(?:CALENDAR|CARD)\b/i;
const IN_BYTES = /^([^:\n]*);ENCODING=QUOTED-PRINTABLE([^:\n]*:)((?:.*=\n)*.*)/gim;
const CHARSET = /;CHARSET=([\w-]{1,40})/i;

const decoded = (value: string, charset: string): string => {
  const bytes = value
    .replaceAll('=\n', '')
    .replace(/=([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  try {
    return new TextDecoder(charset).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return value;
  }
};

/**
 * A calendar or a business card as its values are read (RFC 5545 and RFC 6350): long lines are folded, line breaks and commas have a backslash
 * before them, and older cards have the bytes of letters. Any other text stays as it is.
 */
export const contentLines = (text: string): string => {
  if (!BEGINS.test(text)) return text;
  return text
    .replace(/\r\n?/g, '\n')
    .replace(IN_BYTES, (_, name: string, more: string, value: string) => {
      const [, charset = 'utf-8'] = CHARSET.exec(name + more) ?? [];
      return `${name}${more}${decoded(value, charset)}`;
    })
    .replace(/\n[ \t]/g, '')
    .replace(/\\([nN,;\\])/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign));
};
