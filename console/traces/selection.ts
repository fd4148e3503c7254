import { useEffect, useRef, useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { useView } from '../client/view.js';
import { traceCodec, type TraceView } from './state.js';

/** Time without a further key after which the selection goes into the address. */
const settleMs = 250;

/**
 * The view of a trace. A selection is shown at once and follows into the address: browsers refuse
 * addresses that change with each key that is held down.
 */
export const useTraceView = (): readonly [
  TraceView,
  (change: Partial<TraceView>, how?: 'push' | 'replace') => void,
] => {
  const { clock } = useSurroundings();
  const [view, change] = useView(traceCodec);
  const [sel, setSel] = useState(view.sel);
  const written = useRef(view.sel);
  useEffect(() => {
    if (view.sel === written.current) return;
    written.current = view.sel;
    setSel(view.sel);
  }, [view.sel]);
  useEffect(() => {
    if (sel === written.current) return;
    const left = new AbortController();
    void clock.wait(settleMs, left.signal).then(() => {
      if (left.signal.aborted) return;
      written.current = sel;
      change({ sel }, 'replace');
    });
    return () => left.abort();
  }, [sel]);
  return [
    { ...view, sel },
    (changes, how) => {
      const { sel: selected, ...others } = changes;
      if (selected !== undefined) setSel(selected);
      if (Object.keys(others).length > 0) change(others, how);
    },
  ];
};
