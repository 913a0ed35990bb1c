/** The entry of the console. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { applyTheme } from './app/theme.ts';
import { language } from './i18n/locale.ts';
import { loadTexts, t } from './i18n/text.ts';

applyTheme();
document.documentElement.lang = language;
void loadTexts().then(() => {
  document.title = t.app.name;
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
});
