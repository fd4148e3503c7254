import { expect } from 'chai';
import { components, operations } from '../../contract/all.js';
import { nouns } from '../../contract/nouns.js';
import { openApiDocument } from '../../contract/openapi.js';
import type { Operation } from '../../contract/operation.js';
import { compileAnswerGuard, compileGuard } from '../../engines/ajv/compile.js';

type Place = { readonly [member: string]: Place | undefined };
const document = openApiDocument({ operations, components, nouns }) as unknown as Place;
const found = (complaints: readonly string[]): void =>
  expect(complaints, complaints.join('\n')).to.deep.equal([]) as unknown as void;

/** The body that is taken where the example goes. */
const bodyOf = ({ body, bodyBy }: Operation) => bodyBy?.bodies['openai'] ?? body;

describe('operations in the OpenAPI document: descriptions and examples', () => {
  it('have a description of one or two sentences besides the summary', () =>
    found(
      operations
        .filter(({ description }) => !/^[A-Z`].*\.$/.test(description))
        .map(({ operationId }) => `${operationId} has no description`),
    ));

  it('have an example of every body that the guard accepts', () =>
    found(
      operations.flatMap((operation) => {
        const { operationId, example, form } = operation;
        const body = bodyOf(operation);
        if (body === null) return example === null ? [] : [`${operationId} takes no body`];
        if (example === null) return [`${operationId} has no example`];
        const guarded = compileGuard(
          body,
          form === null ? 'body' : 'form',
        )(structuredClone(example));
        return guarded.ok ? [] : [`${operationId}: ${JSON.stringify(guarded.complaints)}`];
      }),
    ));

  it('have an example of every response that the schema allows', () =>
    found(
      operations
        .filter(({ status }) => status !== 204)
        .flatMap(({ operationId, method, path, response, media }) => {
          const operation = document['paths']?.[path]?.[method.toLowerCase()];
          const examples = operation?.['responses']?.['200']?.['content']?.[media]?.['examples'];
          const [name = ''] = Object.keys(examples ?? {});
          const shown = document['components']?.['examples']?.[name]?.['value'];
          const complaints = compileAnswerGuard(response)(shown);
          return complaints.map((one) => `${operationId}: ${JSON.stringify(one)}`);
        }),
    ));
});
