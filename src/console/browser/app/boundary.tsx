/** Shows an error in place of a part of the page. The rest of the page keeps working. */
import { Component, type ReactNode } from 'react';
import { ErrorMessage } from '../components/small.tsx';
import { t } from '../i18n/text.ts';

interface BoundaryProps {
  /** A change of this text tries again, such as the address. */
  readonly resetBy?: string;
  readonly children: ReactNode;
}

export class Boundary extends Component<BoundaryProps, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate({ resetBy }: BoundaryProps) {
    if (resetBy !== this.props.resetBy && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <section className="page">
        <h1>{t.app.pageFailed}</h1>
        <ErrorMessage error={this.state.error} onRetry={() => this.setState({ error: undefined })} />
      </section>
    );
  }
}
