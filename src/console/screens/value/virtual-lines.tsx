// Virtualised lines, of equal height unless they wrap.
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useRef, type ReactNode } from 'react';

const lineHeight = 18;
const visibleMax = 24;

export function VirtualLines({
  label,
  count,
  isWrapped = false,
  kept = 0,
  children,
}: {
  readonly label: string;
  readonly count: number;
  /** Whether lines wrap: their heights are measured. */
  readonly isWrapped?: boolean;
  /** A line that stays in the document when it is out of view. */
  readonly kept?: number;
  readonly children: (index: number) => ReactNode;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 10,
    rangeExtractor: (range) =>
      [...new Set([kept, ...defaultRangeExtractor(range)])].sort((a, b) => a - b),
  });
  return (
    <div
      ref={scroller}
      className="lines mono"
      tabIndex={0}
      role="region"
      aria-label={label}
      style={{ height: Math.min(virtual.getTotalSize(), visibleMax * lineHeight) + 16 }}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            ref={isWrapped ? virtual.measureElement : undefined}
            data-index={index}
            className={isWrapped ? 'line wrapped' : 'line'}
            style={{ transform: `translateY(${start}px)` }}
          >
            {children(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
