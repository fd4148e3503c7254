// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import type { PromptText } from '../kernel/prompts/prompt-text.js';
import { id, instant, nullable, type JsonObject } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

const template = { prompt_template_id: id('PromptTemplateId') };
const text = Type.Unsafe<PromptText['template']>(
  Type.Union([
    Type.String(),
    Type.Array(Type.Object({ role: Type.String(), content: Type.String() })),
  ]),
);

export const promptTemplateEvents = {
  PromptTemplateCreated: event('entity create', {
    ...template,
    organization_id: id('OrganizationId'),
    name: Type.String(),
    /** Home project. */
    project_id: nullable(id('ProjectId')),
    hidden: Type.Boolean(),
    created_by: id('UserId'),
    created_at: instant,
  }),
  /** New version, which is selected from here on. Its text is in a stream of its own. */
  PromptTemplateVersionAdded: event('entity update', {
    ...template,
    version_id: id('PromptVersionId'),
    /** Number, from 1. */
    version: Type.Integer(),
    content_changed: Type.Boolean(),
    settings_changed: Type.Boolean(),
    model_changed: Type.Boolean(),
    lines_added: Type.Integer(),
    lines_edited: Type.Integer(),
    lines_removed: Type.Integer(),
    created_by: id('UserId'),
    created_at: instant,
  }),
  PromptTemplateVersionSelected: event('entity update', { ...template, version: Type.Integer() }),
  PromptTemplateRenamed: event('entity update', { ...template, name: Type.String() }),
  /** The label means this version from here on. */
  PromptTemplateLabelled: event('entity update', {
    ...template,
    label: Type.String(),
    version: Type.Integer(),
  }),
  PromptTemplateUnlabelled: event('entity update', { ...template, label: Type.String() }),
  /** Tombstone: it answers 404 from here on; the worker erases its texts. */
  PromptTemplateDeleted: event('entity delete', {
    ...template,
    organization_id: id('OrganizationId'),
    version_ids: Type.Array(id('PromptVersionId')),
  }),
  /** Final event of a deleted template: no text of it is left in the log, and none can come. */
  PromptTemplateErased: event('entity delete', template),
};

export const promptTextEvents = {
  /** Stream `prompt-text-<template>-<version>`: what people wrote, so that it can be erased. */
  PromptTextStored: event('entity create', {
    ...template,
    version_id: id('PromptVersionId'),
    template: text,
    raw: Type.Boolean(),
    settings: Type.Unsafe<JsonObject>(Type.Object({})),
    output_type: nullable(Type.String()),
  }),
};

export const promptTemplateNoun: Noun = {
  stream: {
    name: 'prompt-template-<template>',
    subject: 'prompt template',
    erasedWith: 'nothing',
  },
  events: promptTemplateEvents,
};

export const promptTextNoun: Noun = {
  stream: {
    name: 'prompt-text-<template>-<version>',
    subject: 'prompt text',
    erasedWith: null,
    isTechnical: true,
  },
  events: promptTextEvents,
};

export type PromptTemplateEvent = EventOf<typeof promptTemplateEvents>;
type PromptTextEvent = EventOf<typeof promptTextEvents>;

export type PromptTemplateCreated = DataOf<PromptTemplateEvent, 'PromptTemplateCreated'>;
export type PromptVersionAdded = DataOf<PromptTemplateEvent, 'PromptTemplateVersionAdded'>;
export type PromptTextStored = DataOf<PromptTextEvent, 'PromptTextStored'>;
