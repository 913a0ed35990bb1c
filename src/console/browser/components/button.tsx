/** Buttons. `kind` is the look; an icon button needs a label for screen readers. */
import type { ComponentProps } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.ts';

interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly icon?: IconName;
}

export function Button({ kind = 'plain', icon, className = '', type = 'button', children, ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} className={`button ${kind} ${className}`}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  readonly icon: IconName;
  readonly label: string;
}

export function IconButton({ icon, label, className = '', type = 'button', ...rest }: IconButtonProps) {
  return (
    <button {...rest} type={type} aria-label={label} title={label} className={`icon-button ${className}`}>
      <Icon name={icon} />
    </button>
  );
}
