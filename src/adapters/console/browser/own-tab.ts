const NAME = 'portico.tab';

/** A page that is loaded anew asks so often, and after so long, whether the page before has let go of its lock. */
const MOST_LOOKS = 6;
const LOOK_MS = 100;

const nameTab = (): string => {
  const name = `${NAME} ${crypto.randomUUID()}`;
  sessionStorage.setItem(NAME, name);
  return name;
};

/** Takes the lock of this name, for as long as the page is open; false: another page has it. */
const takes = (name: string): Promise<boolean> =>
  new Promise((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock && new Promise<never>(() => {});
    });
  });

const holds = async (name: string): Promise<boolean> => {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    if (await takes(name)) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return false;
};

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
