/** The shapes of the icons. The bundler runs this module as a macro, so the browser loads only these shapes. */
import { icons } from '@iconify-json/lucide/icons.json';

const NAMES = [
  'arrow-down',
  'arrow-left',
  'arrow-right',
  'arrow-right-left',
  'arrow-up',
  'book-open',
  'bookmark',
  'check',
  'chevron-down',
  'chevron-left',
  'chevron-right',
  'chevron-up',
  'circle-alert',
  'columns-3',
  'command',
  'copy',
  'download',
  'ellipsis-vertical',
  'external-link',
  'file-text',
  'file-up',
  'house',
  'image-off',
  'key-round',
  'layout-grid',
  'life-buoy',
  'list-filter',
  'log-in',
  'log-out',
  'maximize-2',
  'menu',
  'pencil',
  'pin-off',
  'plus',
  'rotate-ccw',
  'rotate-ccw-clock',
  'rows-3',
  'search',
  'sliders-horizontal',
  'square-kanban',
  'table',
  'trash',
  'undo-2',
  'upload',
  'user',
  'users',
  'x',
] as const satisfies readonly (keyof typeof icons)[];

export type IconName = (typeof NAMES)[number];

export function iconShapes(): Readonly<Record<IconName, string>> {
  return Object.fromEntries(NAMES.map((name) => [name, icons[name].body])) as Record<IconName, string>;
}
