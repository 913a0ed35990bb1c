import { textsIn } from './one-language.ts' with { type: 'macro' };

export const german = textsIn('de');
