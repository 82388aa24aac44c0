type Asks = () => boolean;

const all = new Set<Asks>();

/** The browser asks before this tab is closed, as long as `asks` says so; what it answers ends that. */
export const askBeforeClosing = (asks: Asks): (() => void) => {
  all.add(asks);
  return () => void all.delete(asks);
};

/** The page leaves by itself, and finds what the tab keeps when it is back. */
let comesBack = false;

export const leaveFor = (url: string): void => {
  comesBack = true;
  location.assign(url);
};

export const loadAnew = (): void => {
  comesBack = true;
  location.reload();
};

export const startClosing = (): void =>
  addEventListener('beforeunload', (event) => {
    if (!comesBack && [...all].some((asks) => asks())) event.preventDefault();
  });
