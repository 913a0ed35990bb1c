/** The contrast of the colours of the console in every theme, from its tokens. Text needs 4.5 : 1 (WCAG 1.4.3). */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const STYLES = fileURLToPath(new URL('../../src/console/browser/style/', import.meta.url));
const TOKENS = readFileSync(join(STYLES, 'tokens.css'), 'utf8');
const MIN_CONTRAST = 4.5;

const TEXTS = ['ink', 'ink-2', 'accent', 'danger', 'good', 'warn'];
const SURFACES = ['surface', 'surface-2', 'surface-3'];
const SOFT = ['accent', 'danger', 'good', 'warn'];
const PAIRS = [
  ...TEXTS.flatMap((text) => SURFACES.map((surface) => [text, surface] as const)),
  ...SOFT.flatMap((name) => [[name, `${name}-soft`] as const, ['ink', `${name}-soft`] as const]),
  ['accent-ink', 'accent'] as const,
];

type Colors = Readonly<Record<string, string>>;

/** The colours that a pattern finds: the name of the token, and its value. */
function colors(pattern: RegExp, css = TOKENS): Colors {
  return Object.fromEntries([...css.matchAll(pattern)].map(([, name, color]) => [name!, color!]));
}

const THEMES: Readonly<Record<string, Colors>> = {
  light: colors(/--([\w-]+): light-dark\((#\w+),/g),
  dark: colors(/--([\w-]+): light-dark\(#\w+, (#\w+)\)/g),
  contrast: colors(/--([\w-]+): (#\w+);/g, TOKENS.slice(TOKENS.indexOf('[data-theme="contrast"]'))),
};

function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

describe.each(Object.entries(THEMES))('in the theme %s', (_name, theme) => {
  test.each(PAIRS)('%s is legible on %s', (text, surface) => {
    expect(contrast(theme[text]!, theme[surface]!)).toBeGreaterThanOrEqual(MIN_CONTRAST);
  });
});

test('the other style sheets take every colour of a text from the tokens', () => {
  const sheets = readdirSync(STYLES).filter((name) => name !== 'tokens.css');
  const literals = sheets.flatMap((name) =>
    [
      ...readFileSync(join(STYLES, name), 'utf8').matchAll(
        /[^-]color: (?!var|inherit|currentcolor|transparent)[^;]+/gi,
      ),
    ].map(([text]) => `${name}: ${text}`),
  );
  expect(literals).toEqual([]);
});
