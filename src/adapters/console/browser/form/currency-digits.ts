import { isNumber } from '../../../../domain/json-number.ts';

/** Most currencies have so many digits after the point; one digit alone is no amount of any. */
export const USUAL_DIGITS = 2;

/** How many digits after the point amounts of a currency have; undefined of what is none. */
export const digitsOf = (currency: unknown): number | undefined => {
  try {
    const format = new Intl.NumberFormat(undefined, { style: 'currency', currency: String(currency) });
    return format.resolvedOptions().maximumFractionDigits;
  } catch {
    return undefined;
  }
};

export const hasFraction = (value: unknown): boolean => isNumber(value) && String(value).includes('.');
