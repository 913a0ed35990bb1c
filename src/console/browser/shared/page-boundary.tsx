/** What breaks, or cannot be loaded, says so in its place, with another try, and leaves the rest alone. */
import { Component, type ComponentType, lazy, type ReactNode, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { ProblemInPlace } from './problem.tsx';

const BROKEN = 'Something went wrong here';

/** A script that did not come: nothing is wrong with the console, and the reason is said in place. */
export class NotLoaded extends Error {
  constructor() {
    super('This part could not be loaded. Check the connection, and try again.');
  }
}

/** Another page is another try. */
export function PageBoundary({ children }: { readonly children: ReactNode }) {
  return <Boundary key={useLocation().pathname}>{children}</Boundary>;
}

interface BoundaryProps {
  readonly children: ReactNode;
  /** What is done before another try. */
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

/** A part of a page whose script is loaded when it is needed, within a `Suspense`. */
export function latePart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = () =>
    load().catch(() => {
      throw new NotLoaded();
    });
  const part = () => lazy(async () => ({ default: await loaded() }));
  // What was not loaded once never is by the same one.
  let current = part();
  return function LatePart(props: Props) {
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
