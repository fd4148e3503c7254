import type { Annotation } from '../../kernel/feedback.js';
import { annotationsOf } from '../../kernel/feedback.js';
import { byCodePoint } from '../../kernel/code-points.js';
import type { RecordRow } from '../../kernel/records.js';
import type { Json } from '../../kernel/shapes.js';
import { remove, type Draft } from './draft.js';

/**
 * Sets the user's rating of the trace by the template, or withdraws it (null). A rating says
 * something about the trace and does not change it, so `updated_at` stays.
 */
export const annotate = (
  trace: Draft,
  template: string,
  user: string,
  rating: Annotation | null,
): void => {
  const { [template]: ofTemplate = {}, ...others } = annotationsOf(trace);
  const { [user]: _, ...ofOthers } = ofTemplate;
  const after = rating === null ? ofOthers : { ...ofOthers, [user]: rating };
  const annotations = Object.keys(after).length === 0 ? others : { ...others, [template]: after };
  if (Object.keys(annotations).length === 0) remove(trace.body, 'annotations');
  else trace.body['annotations'] = annotations as Json;
  trace.annotators = Object.entries(annotations)
    .flatMap(([id, byUser]) => Object.keys(byUser).map((one) => `${id}/${one}`))
    .sort(byCodePoint);
};

/**
 * Of a session: the pairs that all its traces have, and `<template id>/` for a template that each
 * of them has some rating of (kernel/records.ts).
 */
export const annotatorsOfAll = (traces: readonly RecordRow[]): readonly string[] => {
  const [first, ...others] = traces.map(
    ({ annotators }) => new Set(annotators.flatMap((pair) => [pair, templateOf(pair)])),
  );
  if (first === undefined) return [];
  return [...first].filter((one) => others.every((had) => had.has(one))).sort(byCodePoint);
};

const templateOf = (pair: string): string => pair.slice(0, pair.indexOf('/') + 1);
