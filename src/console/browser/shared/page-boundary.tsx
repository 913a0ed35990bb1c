/** A page that breaks says so in its place, and leaves the menu; another page is another try. */
import { Component, type ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { ProblemInPlace } from './problem.tsx';

const BROKEN = 'Something went wrong on this page';

export function PageBoundary({ children }: { readonly children: ReactNode }) {
  return <Boundary key={useLocation().pathname}>{children}</Boundary>;
}

class Boundary extends Component<{ readonly children: ReactNode }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <ProblemInPlace title={BROKEN} error={error} retry={() => this.setState({ error: undefined })} />;
  }
}
