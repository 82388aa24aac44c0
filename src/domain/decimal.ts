/** A decimal number, every digit kept: `digits` × 10^-scale. A double would lose cents. */
export interface Decimal {
  readonly digits: bigint;
  /** Not below zero. */
  readonly scale: number;
}

const NUMBER = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,4}))?$/;

/** More than any number of a database has, so that an exponent cannot make a long text of a short one. */
const MOST_SHIFT = 400;
const MOST_CHARACTERS = 1000;

/** null if the text is no number, or one of too many digits. */
export const readDecimal = (text: string): Decimal | null => {
  if (text.length > MOST_CHARACTERS) return null;
  const [all, sign, whole = '', behindPoint = '', fraction = behindPoint, exponent = '0'] = NUMBER.exec(text) ?? [];
  if (all === undefined || Math.abs(Number(exponent)) > MOST_SHIFT) return null;
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction + '0'.repeat(Math.max(0, -scale)));
  return { digits: sign === '-' ? -digits : digits, scale: Math.max(0, scale) };
};

const atScale = ({ digits, scale: present }: Decimal, scale: number): bigint => digits * 10n ** BigInt(scale - present);

export const zero: Decimal = { digits: 0n, scale: 0 };

export const plus = (left: Decimal, right: Decimal): Decimal => {
  const scale = Math.max(left.scale, right.scale);
  return { digits: atScale(left, scale) + atScale(right, scale), scale };
};

const negative = ({ digits, scale }: Decimal): Decimal => ({ digits: -digits, scale });

export const absolute = (number: Decimal): Decimal => (number.digits < 0n ? negative(number) : number);

export const minus = (left: Decimal, right: Decimal): Decimal => plus(left, negative(right));

export const times = (left: Decimal, right: Decimal): Decimal => ({
  digits: left.digits * right.digits,
  scale: left.scale + right.scale,
});

/** Below zero, zero or above zero, as the left number is less than, the same as or more than the right one. */
export const compare = (left: Decimal, right: Decimal): number => {
  const { digits } = minus(left, right);
  return digits < 0n ? -1 : Number(digits > 0n);
};

/** Plain digits, without zeros at the end of a fraction. */
export const decimalText = ({ digits, scale }: Decimal): string => {
  const all = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const fraction = all.slice(all.length - scale).replace(/0+$/, '');
  return `${digits < 0n ? '-' : ''}${all.slice(0, all.length - scale)}${fraction === '' ? '' : `.${fraction}`}`;
};

/** The number in units of 10^-scale, rounded down, and whether anything was left over. */
export const unitsOf = (
  { digits, scale: present }: Decimal,
  scale: number,
): { readonly units: bigint; readonly rest: boolean } => {
  if (present <= scale) return { units: digits * 10n ** BigInt(scale - present), rest: false };
  const unit = 10n ** BigInt(present - scale);
  const rest = digits % unit !== 0n;
  return { units: digits / unit - (rest && digits < 0n ? 1n : 0n), rest };
};

/** The number in units of 10^-scale, rounded half away from zero, as databases round. */
export const roundedTo = ({ digits, scale: present }: Decimal, scale: number): bigint => {
  if (present <= scale) return digits * 10n ** BigInt(scale - present);
  const unit = 10n ** BigInt(present - scale);
  return (digits + (digits < 0n ? -unit : unit) / 2n) / unit;
};
