// Stands in the page itself: where a script or the style of the console is not loaded, nothing else of it can say so.

const PAUSE_MS = 2000;

const say = () => {
  const text = document.createElement('p');
  text.className = 'alone';
  text.role = 'status';
  text.textContent = 'This page was not loaded whole. It is loaded again as soon as the server answers.';
  document.querySelector('#app')?.replaceChildren(text);
};

const answers = () =>
  fetch(location.href, { cache: 'no-store' })
    .then(({ ok }) => ok)
    .catch(() => false);

let isLoading = false;

const loadAgain = async () => {
  if (isLoading) return;
  isLoading = true;
  do {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    say();
  } while (!(await answers()));
  location.reload();
};

const isNeeded = (target: EventTarget | null) =>
  target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel === 'stylesheet');

addEventListener('error', ({ target }) => void (isNeeded(target) && loadAgain()), { capture: true });
