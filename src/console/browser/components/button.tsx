/** Buttons. `kind` is the look; an icon button needs a label for screen readers. */
import type { ComponentProps, ReactNode } from 'react';

interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly icon?: ReactNode;
}

export function Button({ kind = 'plain', icon, className = '', type = 'button', children, ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} className={`button ${kind} ${className}`}>
      {icon}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  readonly label: string;
}

export function IconButton({ label, className = '', type = 'button', children, ...rest }: IconButtonProps) {
  return (
    <button {...rest} type={type} aria-label={label} title={label} className={`icon-button ${className}`}>
      {children}
    </button>
  );
}
