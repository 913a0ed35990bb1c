/** The browser's tab is called what the page is called, so that several of them can be told apart. */
import { useEffect } from 'react';

const NAME = 'Product Catalogue';

export function useTabTitle(): void {
  useEffect(() => {
    // Every page puts its title into the bar.
    const title = document.getElementById('react-admin-title');
    if (title === null) return;
    const show = () => {
      const text = title.textContent?.trim() ?? '';
      document.title = text === '' ? NAME : `${text} · ${NAME}`;
    };
    const observer = new MutationObserver(show);
    observer.observe(title, { childList: true, characterData: true, subtree: true });
    show();
    return () => observer.disconnect();
  }, []);
}
