/** Whether a text is an IBAN: its form, and its check digits (ISO 13616, modulo 97). */
export const isIban = (text: string): boolean => {
  const compact = text.replace(/\s+/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(compact)) return false;
  const digits = Array.from(compact.slice(4) + compact.slice(0, 4), (character) => Number.parseInt(character, 36));
  return BigInt(digits.join('')) % 97n === 1n;
};
