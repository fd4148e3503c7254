import { uuid } from '../../clients/typescript/src/uuid.js';
import { useSurroundings } from './context.js';

/** Id for something that the service does not know yet. */
export const newId = (): string => uuid();

/**
 * Work that is not saved yet, under its name within this tab: it stays while other pages are shown.
 * A name has one type.
 */
export const useUnsaved = <W>(name: string): readonly [W | null, (work: W | null) => void] => {
  const { unsaved } = useSurroundings();
  return [unsaved.read(name) as W | null, (work) => unsaved.write(name, work)];
};
