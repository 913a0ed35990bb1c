/** An icon. Screen readers skip it unless it has a label. */

import { iconShapes } from './icon-shapes.ts' with { type: 'macro' };
import type { IconName } from './icon-shapes.ts';

const SHAPES = iconShapes();

interface IconProps {
  /** Nothing is shown without a name. */
  readonly name: IconName | undefined;
  readonly size?: number;
  readonly label?: string;
}

export function Icon({ name, size = 16, label }: IconProps) {
  if (name === undefined) return null;
  const access = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return (
    <svg
      {...access}
      viewBox="0 0 24 24"
      width={size}
      height={size}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the markup is a constant of the bundle
      dangerouslySetInnerHTML={{ __html: SHAPES[name] }}
    />
  );
}
