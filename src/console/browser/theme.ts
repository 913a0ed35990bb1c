/** The light and the dark theme: one accent colour, calm surfaces, readable text. */
import { defaultTheme, type RaThemeOptions } from 'react-admin';

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif';

/** react-admin labels the visible box. Screen readers need the label on its input. */
const LABELLED_INPUT = {
  root: { 'aria-label': undefined },
  input: (props: object) => ({ 'aria-label': (props as { 'aria-label'?: string })['aria-label'] }),
};

/** If the system asks for reduced motion, dialogs open without a transition. */
const STILL = {
  shortest: 0,
  shorter: 0,
  short: 0,
  standard: 0,
  complex: 0,
  enteringScreen: 0,
  leavingScreen: 0,
};
const transitions = matchMedia('(prefers-reduced-motion: reduce)').matches ? { duration: STILL } : {};

function themeOf(mode: 'light' | 'dark'): RaThemeOptions {
  const isLight = mode === 'light';
  return {
    ...defaultTheme,
    palette: {
      mode,
      primary: { main: isLight ? '#0f766e' : '#5cc8bd' },
      secondary: { main: isLight ? '#0f766e' : '#5cc8bd' },
      // White text needs the dark shade of some colours.
      error: isLight ? { main: '#b71c1c' } : { main: '#f98b8b', dark: '#b71c1c' },
      warning: isLight ? { main: '#8f4700' } : { main: '#ffb74d', dark: '#8f4700' },
      info: isLight ? { main: '#01579b' } : { main: '#4fc3f7', dark: '#01579b' },
      success: isLight ? { main: '#1b5e20' } : { main: '#81c784', dark: '#1b5e20' },
      background: isLight ? { default: '#f6f7f8', paper: '#ffffff' } : { default: '#0f1317', paper: '#171c21' },
      ...(isLight ? { text: { primary: '#17212b', secondary: '#4b5765' } } : {}),
    },
    shape: { borderRadius: 10 },
    transitions,
    sidebar: { width: 200, closedWidth: 50 },
    typography: { fontFamily: FONT, h5: { fontWeight: 600 }, h6: { fontWeight: 600, fontSize: '1.05rem' } },
    components: {
      ...defaultTheme.components,
      MuiPaper: { defaultProps: { elevation: 0 }, styleOverrides: { root: { backgroundImage: 'none' } } },
      MuiCard: { styleOverrides: { root: { border: `1px solid ${isLight ? '#e3e7ea' : '#2a323a'}` } } },
      MuiAlert: { styleOverrides: { filled: { color: '#ffffff' } } },
      MuiButton: { styleOverrides: { root: { textTransform: 'none', fontWeight: 600 } } },
      MuiTextField: { defaultProps: { variant: 'outlined', margin: 'dense', size: 'small', fullWidth: true } },
      MuiCheckbox: { defaultProps: { slotProps: LABELLED_INPUT } },
      MuiTableCell: { styleOverrides: { head: { fontWeight: 600 } } },
    },
  };
}

export const lightTheme = themeOf('light');
export const darkTheme = themeOf('dark');
