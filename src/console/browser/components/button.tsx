/** Buttons. One with an address is a link. `kind` is the look; one with only an icon needs a label. */
import { type ComponentProps, type ReactNode, useLayoutEffect, useRef } from 'react';
import { Link } from 'wouter';
import { restoreFocus } from './focus.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.ts';

interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly icon?: IconName;
  readonly href?: string;
}

export function Button({ kind = 'plain', icon, className = '', children, ...rest }: ButtonProps) {
  return (
    <ButtonOrLink {...rest} className={`button ${kind} ${className}`}>
      <Icon name={icon} />
      {children}
    </ButtonOrLink>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'kind'> {
  readonly icon: IconName;
  readonly label: string;
}

export function IconButton({ icon, label, className = '', ...rest }: IconButtonProps) {
  return (
    <ButtonOrLink {...rest} aria-label={label} title={label} className={`icon-button ${className}`}>
      <Icon name={icon} />
    </ButtonOrLink>
  );
}

function ButtonOrLink({ href, type = 'button', ...rest }: Omit<ButtonProps, 'kind' | 'icon'>) {
  const element = useRef<HTMLButtonElement>(null);
  // A button may leave the page by its own effect, such as the one that removes the last filter.
  useLayoutEffect(() => {
    const button = element.current;
    return () => {
      if (button !== null && document.activeElement === button) restoreFocus(button.closest<HTMLElement>('.row-panel'));
    };
  }, []);
  if (href !== undefined) return <Link {...(rest as ComponentProps<'a'>)} href={href} />;
  return <button {...rest} ref={element} type={type} />;
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
