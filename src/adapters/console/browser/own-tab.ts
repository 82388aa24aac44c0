const NAME = 'portico.tab';

/** A page that is loaded anew waits this long at most for the lock of the page before. */
const MOST_WAIT_MS = 500;

const nameTab = (): string => {
  const name = `${NAME} ${crypto.randomUUID()}`;
  sessionStorage.setItem(NAME, name);
  return name;
};

/** Takes the lock of this name, for as long as the page is open; false: another page has it. */
const holds = (name: string): Promise<boolean> =>
  new Promise((resolve) => {
    const options = { signal: AbortSignal.timeout(MOST_WAIT_MS) };
    const held = () => {
      resolve(true);
      return new Promise<never>(() => {});
    };
    navigator.locks.request(name, options, held).catch(() => resolve(false));
  });

/**
 * Whether what the tab keeps is its own. Browsers give a duplicated tab a copy of it, and what the first tab does in a moment, or takes back,
 * would be done once more.
 */
export const isOwnTab = async (): Promise<boolean> => {
  const name = sessionStorage.getItem(NAME);
  if (name !== null && (await holds(name))) return true;
  await holds(nameTab());
  return name === null;
};
