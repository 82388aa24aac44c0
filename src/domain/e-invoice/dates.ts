const FORMS = [/^(\d{4})-(\d{2})-(\d{2})(?:Z|[+-]\d{2}:\d{2})?$/, /^(\d{4})(\d{2})(\d{2})$/];

/** A date of UBL (`2026-11-03`) or of CII (`20261103`) as `2026-11-03`; null if it is no date. */
export const dateOf = (text: string): string | null => {
  for (const form of FORMS) {
    const [, year, month, day] = form.exec(text.trim()) ?? [];
    if (year === undefined) continue;
    const date = `${year}-${month}-${day}`;
    const parsed = new Date(`${date}T00:00:00Z`);
    return Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== date ? null : date;
  }
  return null;
};
