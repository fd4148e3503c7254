import { parseDuration } from '../kernel/durations.js';
import { Fault } from '../kernel/fault.js';

/** Seal settings (contract 5.14, rule 5) from the environment. */
export type SealSettings = {
  /** Name of the installation in seals; null: generated. */
  readonly origin: string | null;
  readonly everyMs: number;
  /** Path of a PEM file; null: derived from the secret key. */
  readonly key: string | null;
  /** `<vkey>@<address>` each. */
  readonly witnesses: readonly string[];
  /** Folder for a copy of each note as a file. */
  readonly dir: string | null;
};

export const sealVariables = [
  {
    name: 'ASSAY_SEAL_EVERY',
    fallback: '1h',
    meaning: 'longest time until an event of the history is sealed: 60s to 24h',
  },
  {
    name: 'ASSAY_SEAL_ORIGIN',
    fallback: 'assay.local/<uuid>',
    meaning: 'name of the installation in seals, for example assay.example.org',
  },
  {
    name: 'ASSAY_SEAL_KEY',
    fallback: 'follows from the secret key',
    meaning: 'PEM file of the key on P-256 that signs seals',
  },
  {
    name: 'ASSAY_SEAL_WITNESSES',
    fallback: 'none',
    meaning: 'comma list of C2SP witnesses that cosign seals: <vkey>@<address> each',
  },
  {
    name: 'ASSAY_SEAL_DIR',
    fallback: 'none',
    meaning: 'folder that gets each seal as a file too',
  },
] as const;
type SealVariable = (typeof sealVariables)[number]['name'];

/** Throws Fault `invalid` naming the variable and what is allowed. */
export const readSealSettings = (
  text: (name: string, fallback: string) => string,
): SealSettings => ({
  origin: originOf(text('ASSAY_SEAL_ORIGIN', '')),
  everyMs: sealIntervalOf(text('ASSAY_SEAL_EVERY', '1h')),
  key: text('ASSAY_SEAL_KEY', '') || null,
  witnesses: witnessesOf(text('ASSAY_SEAL_WITNESSES', '')),
  dir: text('ASSAY_SEAL_DIR', '') || null,
});

const invalidVariable = (name: SealVariable, why: string): Fault =>
  new Fault('invalid', `${name} ${why}`);

/** A part of each origin, which verifiers compare as text. */
const originOf = (text: string): string | null => {
  if (text !== '' && !/^[A-Za-z0-9._~/-]{1,128}$/.test(text)) {
    throw invalidVariable(
      'ASSAY_SEAL_ORIGIN',
      'must be an address without scheme: assay.example.org',
    );
  }
  return text || null;
};

const sealIntervalOf = (text: string): number => {
  const time = parseDuration(text);
  if (time !== null && time >= 60_000 && time <= 86_400_000) return time;
  throw invalidVariable('ASSAY_SEAL_EVERY', 'must be 60s to 24h, for example 90s, 15m or 1h');
};

const witnessForm = /^[^\s+@]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+@https?:\/\/\S+$/;
const witnessesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      if (witnessForm.test(one)) return one;
      throw invalidVariable('ASSAY_SEAL_WITNESSES', 'must be a comma list of <vkey>@<address>');
    });
