import { stream } from '../../kernel/ports.js';
import { newEvent } from './projector.js';

/** A stream in which words are said. */
export const room = (name: string) => stream('room', name);
export const said = (word: string) => newEvent('Said', { word });
