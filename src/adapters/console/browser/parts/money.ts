/** Every digit, in the reader's language. */
export const moneyText = (amount: string | null, currency: string | null): string =>
  amount === null
    ? '–'
    : new Intl.NumberFormat(undefined, {
        ...(currency && { style: 'currency', currency }),
        maximumFractionDigits: 20,
      }).format(amount as `${number}`);
