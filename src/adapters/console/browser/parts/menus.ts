const MENUS = 'details.drop[open], details.account[open]';

const closeAll = (except: Element | null): void => {
  for (const menu of document.querySelectorAll(MENUS)) if (menu !== except) menu.removeAttribute('open');
};

/** Menus close when the user clicks elsewhere or into them, and by Escape, which gives the focus back to their button. */
export const startMenus = (): void => {
  document.addEventListener('click', ({ target }) => {
    const element = target instanceof Element ? target : null;
    closeAll(element?.closest('summary') ? element.closest(MENUS) : null);
  });
  document.addEventListener('keydown', ({ key }) => {
    const open = document.querySelector(MENUS);
    if (key !== 'Escape' || !open) return;
    closeAll(null);
    open.querySelector('summary')?.focus();
  });
};
