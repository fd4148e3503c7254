import type { Attack } from './attackers.js';
import { attacksByRecords } from './attacks-by-records.js';
import { attacksByRequests } from './attacks-by-requests.js';
import { fiveAddresses } from './five-addresses-attack.js';

/** Attacks by a tenant with ordinary rights: a fairness row each. */
export const attacks: readonly Attack[] = [...attacksByRecords, ...attacksByRequests];
/** All that an attacker process plays. */
export const playableAttacks: readonly Attack[] = [...attacks, fiveAddresses];
