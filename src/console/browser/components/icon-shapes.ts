/** The shapes of the icons. The bundler runs this module as a macro, so the browser loads only these shapes. */
import { icons } from '@iconify-json/lucide/icons.json';

const NAMES = [
  'arrow-down arrow-left arrow-right arrow-right-left arrow-up book-open bookmark check chevron-down chevron-left',
  'chevron-right chevron-up circle-alert columns-3 command copy download ellipsis-vertical external-link file-text',
  'file-up house image-off key-round languages layout-grid life-buoy list-filter list-tree log-in log-out',
  'maximize-2 menu pencil pin-off plus rotate-ccw rotate-ccw-clock rows-3 search sliders-horizontal square-kanban',
  'table trash undo-2 upload user users x',
] as const;

type Words<Text> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
export type IconName = Words<(typeof NAMES)[number]>;

export function iconShapes(): Readonly<Record<IconName, string>> {
  const names = NAMES.flatMap((line) => line.split(' ') as IconName[]);
  return Object.fromEntries(names.map((name) => [name, icons[name].body])) as Record<IconName, string>;
}
