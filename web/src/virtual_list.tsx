// A list that builds only the rows in sight. All rows have the same height; lists longer than browsers can scroll
// (about 15 million pixels) are scrolled in proportion.

import type { ComponentChildren, HTMLAttributes, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const max_height = 15_000_000;

export interface Window {
  first: number;
  last: number; // exclusive
  top: number; // offset of the first row
  height: number; // of the whole
}

/** The rows in sight of a list of `count` rows, with some more at both ends. */
export function window_of(count: number, row_height: number, scroll: number, visible: number, extra = 6): Window {
  const full = count * row_height;
  const height = Math.min(full, max_height);
  const ratio = height > visible ? (full - visible) / (height - visible) : 1;
  const offset = Math.max(0, Math.min(scroll, height - visible)) * ratio;
  const first = Math.max(0, Math.floor(offset / row_height) - extra);
  const last = Math.min(count, Math.ceil((offset + visible) / row_height) + extra);
  return { first, last, top: scroll + first * row_height - offset, height };
}

/** Where to scroll so that the row is in sight; the same place when it is already. */
export function scroll_for(count: number, row_height: number, row: number, scroll: number, visible: number): number {
  const full = count * row_height;
  const height = Math.min(full, max_height);
  const ratio = height > visible ? (full - visible) / (height - visible) : 1;
  const offset = scroll * ratio;
  const margin = Math.min(row_height * 2, Math.max(0, (visible - row_height) / 2));
  const top = row * row_height;
  if (top - margin >= offset && top + row_height + margin <= offset + visible) return scroll;
  const near = Math.abs(top - offset) < visible * 1.5;
  const wanted = near ? (top < offset + visible / 2 ? top - margin : top + row_height + margin - visible) : top - visible / 2;
  return Math.max(0, Math.min(full - visible, wanted)) / ratio;
}

/** The scroll position and height of an element, kept up to date. */
export function use_scroll(ref: RefObject<HTMLElement | null>): [scroll: number, height: number] {
  const [place, set_place] = useState<[number, number]>([0, 600]);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const update = () =>
      set_place((old) =>
        old[0] === element.scrollTop && old[1] === element.clientHeight ? old : [element.scrollTop, element.clientHeight],
      );
    update();
    element.addEventListener("scroll", update, { passive: true });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", update);
      observer.disconnect();
    };
  }, []);
  return place;
}

interface Properties extends Omit<HTMLAttributes<HTMLDivElement>, "ref" | "children"> {
  count: number;
  row_height: number;
  follow: number; // a row to keep in sight; -1: none
  header?: ComponentChildren;
  render: (first: number, last: number) => ComponentChildren;
}

export function VirtualList({ count, row_height, follow, header, render, ...rest }: Properties) {
  const ref = useRef<HTMLDivElement>(null);
  const [scroll, visible] = use_scroll(ref);
  const rows = window_of(count, row_height, scroll, visible);
  useEffect(() => {
    const element = ref.current;
    if (!element || follow < 0) return;
    const wanted = scroll_for(count, row_height, follow, element.scrollTop, element.clientHeight);
    if (Math.abs(wanted - element.scrollTop) > 0.5) element.scrollTop = wanted;
  }, [follow, count, visible]);
  return (
    <div ref={ref} {...rest}>
      {header}
      <div class="virtual" role="presentation" style={{ height: `${rows.height}px` }}>
        <div class="virtual-rows" role="presentation" style={{ transform: `translateY(${rows.top}px)` }}>
          {render(rows.first, rows.last)}
        </div>
      </div>
    </div>
  );
}
