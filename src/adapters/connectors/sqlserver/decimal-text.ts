/** A decimal number as plain digits: `-12.50` is negative, `12` and `50`. */
export interface Decimal {
  readonly negative: boolean;
  /** Without leading zeros; empty for less than one. */
  readonly whole: string;
  /** Without zeros at its end. */
  readonly fraction: string;
}

const NUMBER = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,4}))?$/;

/** More than any number of the database has, so that an exponent cannot make a long text of a short one. */
const MOST_SHIFT = 400;
const MOST_CHARACTERS = 1000;

export const readDecimal = (text: string): Decimal | null => {
  if (text.length > MOST_CHARACTERS) return null;
  const [all, sign, whole = '', fraction = '', only = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (all === undefined || Math.abs(Number(exponent)) > MOST_SHIFT) return null;
  const behind = fraction || only;
  const shift = Number(exponent);
  const digits = shift < 0 ? '0'.repeat(-shift) + whole + behind : whole + behind + '0'.repeat(shift);
  const point = (shift < 0 ? -shift : 0) + whole.length + shift;
  const number = { whole: digits.slice(0, point).replace(/^0+/, ''), fraction: digits.slice(point).replace(/0+$/, '') };
  return { ...number, negative: sign === '-' && (number.whole !== '' || number.fraction !== '') };
};

export const decimalText = ({ negative, whole, fraction }: Decimal): string =>
  `${negative ? '-' : ''}${whole || '0'}${fraction === '' ? '' : `.${fraction}`}`;

/** Rounded half away from zero, as the database rounds what is assigned to a column of so few digits behind the point. */
export const rounded = (decimal: Decimal, scale: number): Decimal => {
  if (decimal.fraction.length <= scale) return decimal;
  const kept = BigInt(`0${decimal.whole}${decimal.fraction.slice(0, scale)}`);
  const digits = (kept + (decimal.fraction.charAt(scale) >= '5' ? 1n : 0n)).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale).replace(/^0+/, '');
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return { whole, fraction: scale === 0 ? '' : fraction, negative: decimal.negative && (whole !== '' || fraction !== '') };
};

/** The number in units of 10^-scale, rounded down, and whether anything was left over. */
export const unitsOf = ({ negative, whole, fraction }: Decimal, scale: number): { readonly units: bigint; readonly rest: boolean } => {
  const magnitude = BigInt(`0${whole}${fraction.slice(0, scale).padEnd(scale, '0')}`);
  const rest = fraction.length > scale;
  return { units: negative ? -magnitude - (rest ? 1n : 0n) : magnitude, rest };
};

export const unitsText = (units: bigint, scale: number): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return decimalText({ negative: units < 0n, whole, fraction: scale === 0 ? '' : fraction });
};
