import { performanceFigures } from './performance-figures.js';
import { performancePage } from './performance-page.js';
import { performancePicture } from './performance-picture.js';

/** Files that follow from the text of the results file: their paths and contents. */
export const performanceFiles = (
  results: string,
): readonly (readonly [path: string, text: string])[] => {
  const figures = performanceFigures(results);
  return [
    ['docs/performance.md', performancePage(figures)],
    ['docs/pictures/performance.svg', performancePicture(figures)],
  ];
};
