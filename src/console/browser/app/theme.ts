/** The appearance: as the system, light, dark or high contrast. The root element has it as `data-theme`. */
const STORED = 'catalogue.theme';

export const THEMES = ['auto', 'light', 'dark', 'contrast'] as const;
export type Theme = (typeof THEMES)[number];

export function currentTheme(): Theme {
  return THEMES.find((each) => each === localStorage.getItem(STORED)) ?? 'auto';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme);
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = currentTheme();
}
