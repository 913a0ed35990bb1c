/** Shows an error in place of the part that failed, with a retry button. Other parts keep working. */
import { Component, type ComponentType, lazy, type ReactNode, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { ProblemInPlace } from './problem.tsx';

const BROKEN = 'Something went wrong here';

/** A script that could not be loaded. This is not a bug of the console. */
export class NotLoaded extends Error {
  constructor() {
    super('This part could not be loaded. Check the connection and try again.');
  }
}

/** Resets the error when the person opens another page. */
export function PageBoundary({ children }: { readonly children: ReactNode }) {
  return <Boundary key={useLocation().pathname}>{children}</Boundary>;
}

interface BoundaryProps {
  readonly children: ReactNode;
  /** Called before a retry. */
  readonly prepare?: () => void;
}

export class Boundary extends Component<BoundaryProps, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const retry = () => {
      this.props.prepare?.();
      this.setState({ error: undefined });
    };
    return <ProblemInPlace {...(error instanceof NotLoaded ? {} : { title: BROKEN })} error={error} retry={retry} />;
  }
}

/** A part of a page that is loaded on demand, within `Suspense`. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = () =>
    load().catch(() => {
      throw new NotLoaded();
    });
  const part = () => lazy(async () => ({ default: await loaded() }));
  // A failed lazy component never loads again, so each retry needs a new one.
  let current = part();
  return function LazyPart(props: Props) {
    const [Part, setPart] = useState(() => current);
    const prepare = () => {
      current = part();
      setPart(() => current);
    };
    return (
      <Boundary prepare={prepare}>
        <Part {...props} />
      </Boundary>
    );
  };
}
