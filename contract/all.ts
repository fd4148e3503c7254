import type { TSchema } from 'typebox';
import { datasetComponents } from './datasets.js';
import { filterComponents } from './filters.js';
import { listingComponents } from './listings.js';
import { nouns } from './nouns.js';
import type { Operation } from './operation.js';
import { promptTemplateComponents } from './prompt-templates.js';
import { recordReadComponents } from './record-reads.js';
import { scorerComponents } from './scorers.js';
import { userComponents } from './users.js';

/** All operations that are served: the rows of contract 6. */
export const operations = nouns.flatMap(
  (noun) => noun.operations,
) as readonly unknown[] as readonly Operation[];

/** OpenAPI components of the recursive schemas and of those that handlers check. */
export const components: Readonly<Record<string, TSchema>> = {
  ...filterComponents,
  ...listingComponents,
  ...datasetComponents,
  ...promptTemplateComponents,
  ...scorerComponents,
  ...userComponents,
  ...recordReadComponents,
};
