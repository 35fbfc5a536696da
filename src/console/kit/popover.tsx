// A button with a small panel beside it, in the top layer. Escape and a click elsewhere close it.
import { useId, useRef, useState, type CSSProperties, type ReactNode } from 'react';

interface PopoverProps {
  readonly label: ReactNode;
  readonly title?: string;
  readonly className?: string;
  readonly isPressed?: boolean;
  readonly children: (close: () => void) => ReactNode;
}

const margin = 8;
const gap = 4;
const width = 320;

/** Below the button, or above it if there is more room. */
function placeAt(box: DOMRect): CSSProperties {
  const left = Math.max(margin, Math.min(box.left, window.innerWidth - width - margin));
  const below = window.innerHeight - box.bottom;
  const isBelow = below >= box.top || below >= width;
  const maxHeight = `min(70vh, ${(isBelow ? below : box.top) - gap - margin}px)`;
  return isBelow
    ? { left, top: box.bottom + gap, maxHeight }
    : { left, bottom: window.innerHeight - box.top + gap, maxHeight };
}

export function Popover({ label, title, className = '', isPressed, children }: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<CSSProperties | null>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        title={title}
        popoverTarget={id}
        aria-expanded={place !== null}
        aria-pressed={isPressed}
      >
        {label}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className="popover"
        style={place ?? undefined}
        onToggle={(event) => {
          const isOpen = event.nativeEvent.newState === 'open';
          setPlace(isOpen ? placeAt(button.current!.getBoundingClientRect()) : null);
        }}
      >
        {place !== null && children(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}
