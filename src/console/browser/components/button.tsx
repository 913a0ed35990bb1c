/** Buttons, and links that look like one. `kind` is the look; one with only an icon needs a label. */
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.ts';

interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly icon?: IconName;
}

export function Button({ kind = 'plain', icon, className = '', type = 'button', children, ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} className={`button ${kind} ${className}`}>
      <Icon name={icon} />
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

interface StepsProps {
  readonly icons: readonly [IconName, IconName];
  readonly labels: readonly [string, string];
  readonly at: number;
  readonly last: number;
  readonly onMove: (at: number) => void;
  /** The place, between the buttons. */
  readonly children?: ReactNode;
}

/** Buttons to the previous and the next of a number of places. */
export function Steps({ icons, labels, at, last, onMove, children }: StepsProps) {
  return (
    <>
      <IconButton icon={icons[0]} label={labels[0]} disabled={at === 0} onClick={() => onMove(at - 1)} />
      {children}
      <IconButton icon={icons[1]} label={labels[1]} disabled={at >= last} onClick={() => onMove(at + 1)} />
    </>
  );
}

interface LinkButtonProps extends Pick<ButtonProps, 'kind' | 'icon'> {
  readonly href: string;
  readonly children: ReactNode;
}

export function LinkButton({ href, kind = 'plain', icon, children }: LinkButtonProps) {
  return (
    <Link href={href} className={`button ${kind}`}>
      <Icon name={icon} />
      {children}
    </Link>
  );
}

export function IconLink({ href, icon, label }: Pick<IconButtonProps, 'icon' | 'label'> & { readonly href: string }) {
  return (
    <Link href={href} className="icon-button" aria-label={label} title={label}>
      <Icon name={icon} />
    </Link>
  );
}
