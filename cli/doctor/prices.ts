import { shippedDaysMax, shippedVersion } from '../../kernel/prices/shipped.js';
import { good, warning, type Finding } from './finding.js';

const dayMs = 86_400_000;

/** Age of the shipped price list, which projects may price their models by (contract 5.4). */
export const shippedPricesFinding = (now: number): Finding => {
  const days = Math.floor((now - Date.parse(shippedVersion)) / dayMs);
  const found = `shipped prices were read on ${shippedVersion}`;
  return days < shippedDaysMax
    ? good('prices', found)
    : warning(
        'prices',
        `${found}, ${days} days ago`,
        'install a newer release, or set the prices of your models in the projects',
      );
};
