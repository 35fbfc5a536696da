// What is shown instead of a screen that cannot be rendered: after an update of the server, for example, the parts of the console
// that this page has not loaded yet no longer exist.
import { Component, type ReactNode } from 'react';
import { pathOf } from '../kit/location.js';
import { Empty } from '../kit/states.js';

interface RenderFailureProps {
  /** The URL; a change of it clears the failure. */
  readonly href: string;
  readonly children: ReactNode;
}

interface RenderFailureState {
  readonly error: Error | null;
}

/** A class, since React has no other way to catch errors of rendering. */
export class RenderFailure extends Component<RenderFailureProps, RenderFailureState> {
  override state: RenderFailureState = { error: null };

  static getDerivedStateFromError(error: Error): RenderFailureState {
    return { error };
  }

  override componentDidUpdate({ href }: RenderFailureProps): void {
    if (href !== this.props.href && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <main>
        <Empty isPage title="This page cannot be shown">
          <p>{error.message}</p>
          <p>
            <button type="button" onClick={() => window.location.reload()}>
              Reload
            </button>
          </p>
          <p>
            <a href={pathOf()}>All projects</a>
          </p>
        </Empty>
      </main>
    );
  }
}
