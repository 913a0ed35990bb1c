/** The appearance: as the system, light, dark or high contrast. The root element has it as `data-theme`. */
import { browserStorage } from '../base/storage.ts';

const STORED = 'catalogue.theme';

export const THEMES = ['auto', 'light', 'dark', 'contrast'] as const;
export type Theme = (typeof THEMES)[number];

export function currentTheme(): Theme {
  return THEMES.find((each) => each === browserStorage.get(STORED)) ?? 'auto';
}

export function chooseTheme(theme: Theme): void {
  browserStorage.set(STORED, theme);
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = currentTheme();
}
