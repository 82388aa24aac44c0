/** So many of a thing: `1 picture`, `2,000 pictures`. */
export const counted = (count: number, one: string, more = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : more}`;
