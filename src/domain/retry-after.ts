/** How many milliseconds a `Retry-After` (seconds or a date, RFC 9110 section 10.2.3) asks to wait; null if it asks for nothing. */
export const retryAfterMs = (header: string | null | undefined, now: number): number | null => {
  const value = header?.trim();
  if (!value) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
};
