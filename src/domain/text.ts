/** A text of at most so many characters: a longer one ends with an ellipsis. */
export const shorten = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…`.toWellFormed() : text;

/** With a full stop, unless it ends a sentence already. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The beginning of a text that is longer than so many characters, and how much of it is left out. */
export const truncate = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, Math.max(0, most)).toWellFormed()}\n[${text.length - most} more characters are left out]`;

const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a reader sees anything of it. */
export const isVisible = (text: string): boolean => VISIBLE.test(text);

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Whether any of it is written from right to left. */
export const isRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);

/** `Café` as `Cafe`. */
export const withoutAccents = (text: string): string => text.normalize('NFKD').replace(/\p{M}+/gu, '');

/** `createdAt` as `created_at`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Whether there is such a day: a `Date` takes the 30th of February for the 2nd of March. */
export const isDay = (day: string): boolean =>
  !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** PostgreSQL stores no NUL, and JSON no half of a surrogate pair: the replacement character shows that one of them was there. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();
