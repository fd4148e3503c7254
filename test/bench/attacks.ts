import type { Attack } from './attack.js';
import { attacksByRecords } from './attacks-by-records.js';
import { attacksByRequests } from './attacks-by-requests.js';

export const attacks: readonly Attack[] = [...attacksByRecords, ...attacksByRequests];
