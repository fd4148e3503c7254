import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AssayFault } from '../../clients/typescript/src/fault.js';
import { Instant } from '../client/instants.js';
import { useWriteQueue } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { FaultNotice } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { constraintsText, inOrder, movedTo, usageText, type RatingTemplate } from './model.js';
import { TemplatePreview, templateNouns } from './template-dialog.js';

type Props = {
  readonly projectId: string;
  readonly templates: readonly RatingTemplate[];
  /** When they were answered; a later answer replaces the order of this page. */
  readonly answeredAt: number;
  readonly permit: Permit<'editor'>;
  readonly onEdit: (template: RatingTemplate) => void;
  readonly onDelete: (template: RatingTemplate) => void;
};

/** Templates in their order, which a handle changes: by dragging it, or with Alt and arrow keys. */
export const TemplateList = (props: Props) => {
  const { order, move, moved, isSaving, fault } = useOrder(props);
  const templates = order === null ? props.templates : inOrder(props.templates, order);
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  useLayoutEffect(() => {
    const row = list.current?.querySelector(`[data-id="${moved.id}"]`);
    // A row that was taken out and put in elsewhere has lost the focus.
    if (row?.contains(row.ownerDocument.activeElement) === false) {
      row.querySelector<HTMLElement>('.template-handle')?.focus();
    }
  }, [moved]);
  const moveTo = (id: string, index: number): void => move(templates, id, index);
  const at = templates.findIndex(({ id }) => id === moved.id);
  return (
    <>
      <FaultNotice fault={fault} />
      <ol class="template-list" ref={list}>
        {templates.map((template, index) => (
          <TemplateRow
            key={template.id}
            {...props}
            template={template}
            index={index}
            last={templates.length - 1}
            drop={drag?.over === index && drag.id !== template.id ? drag.side : undefined}
            isDragged={drag?.id === template.id}
            onMove={(to) => moveTo(template.id, to)}
            onDrag={(y) => setDrag(dragAt(list.current, template.id, y))}
            onDrop={(isDone) => {
              setDrag(null);
              if (isDone && drag !== null) moveTo(drag.id, drag.to);
            }}
          />
        ))}
      </ol>
      <p class="visually-hidden" role="status">
        {at >= 0 &&
          `${templates[at]?.name} is number ${at + 1} of ${templates.length}` +
            (isSaving ? '' : ', saved')}
      </p>
    </>
  );
};

/** The order of this page while it is saved, each move behind the one before. */
const useOrder = ({ projectId, permit, answeredAt }: Props) => {
  const writes = useWriteQueue(permit, templateNouns);
  const [order, setOrder] = useState<readonly string[] | null>(null);
  const [moved, setMoved] = useState({ id: '' });
  const [fault, setFault] = useState<AssayFault | null>(null);
  useEffect(() => {
    if (writes.waiting === 0) setOrder(null);
  }, [answeredAt]);
  const move = (shown: readonly RatingTemplate[], id: string, index: number): void => {
    const before = shown.map((template) => template.id);
    const ordering = movedTo(before, id, index);
    if (ordering.join() === before.join()) return;
    setOrder(ordering);
    setMoved({ id });
    const saved = writes.add((operations, options) =>
      operations.annotations.reorderTemplates({ project_id: projectId, ordering }, options),
    );
    void saved.then((end) => {
      setFault('fault' in end ? end.fault : null);
      if ('fault' in end) setOrder(null);
    });
  };
  return { order, move, moved, isSaving: writes.waiting > 0, fault };
};

type Drag = {
  readonly id: string;
  /** Row below the pointer, and the side of it where the template would go. */
  readonly over: number;
  readonly side: 'above' | 'below';
  /** Index of the template after the drop. */
  readonly to: number;
};

/** The place of a drag at a height of the screen. */
const dragAt = (list: HTMLElement | null, id: string, y: number): Drag | null => {
  if (list === null) return null;
  const rows = [...list.children];
  const from = rows.findIndex((row) => row instanceof HTMLElement && row.dataset['id'] === id);
  const boxes = rows.map((row) => row.getBoundingClientRect());
  const below = boxes.findIndex((box) => y < box.bottom);
  const over = below < 0 ? rows.length - 1 : below;
  const box = boxes[over];
  const side = box !== undefined && y < (box.top + box.bottom) / 2 ? 'above' : 'below';
  const to = over + (side === 'below' ? 1 : 0);
  return { id, over, side, to: to > from ? to - 1 : to };
};

type RowProps = Props & {
  readonly template: RatingTemplate;
  readonly index: number;
  readonly last: number;
  /** Side on which a dragged template would go; undefined: not here. */
  readonly drop: 'above' | 'below' | undefined;
  readonly isDragged: boolean;
  readonly onMove: (index: number) => void;
  readonly onDrag: (y: number) => void;
  /** False: the drag was given up. */
  readonly onDrop: (isDone: boolean) => void;
};

const TemplateRow = (props: RowProps) => {
  const { template } = props;
  const { name, criteria, constraints } = template;
  return (
    <li
      class="template-row"
      data-id={template.id}
      data-drop={props.drop}
      data-dragged={props.isDragged}
    >
      <Handle {...props} />
      <div class="template-main">
        <div class="inline">
          <strong>
            <RecordedWord text={name} />
          </strong>
          <span class="note">
            {constraintsText(constraints)}
            {template.include_explanation && ', explained'}
          </span>
        </div>
        {criteria !== null && criteria !== '' && (
          <p class="note">
            <RecordedWord text={criteria} />
          </p>
        )}
        <TemplatePreview name={name} constraints={constraints} />
      </div>
      <div class="template-side">
        <span class="note">
          {usageText(template.usage_count)} · since <Instant at={template.created_at} />
        </span>
        <RowActions {...props} />
      </div>
    </li>
  );
};

const RowActions = (props: RowProps) => {
  const { template, index, permit } = props;
  const { name } = template;
  return (
    <span class="inline">
      <Button
        look="plain"
        label={`Move ${name} up`}
        permit={permit}
        isDisabled={index === 0}
        onClick={() => props.onMove(index - 1)}
      >
        ↑
      </Button>
      <Button
        look="plain"
        label={`Move ${name} down`}
        permit={permit}
        isDisabled={index === props.last}
        onClick={() => props.onMove(index + 1)}
      >
        ↓
      </Button>
      <Button
        look="plain"
        label={`Edit ${name}`}
        permit={permit}
        onClick={() => props.onEdit(template)}
      >
        Edit
      </Button>
      <Button
        look="plain"
        label={`Delete ${name}…`}
        permit={permit}
        onClick={() => props.onDelete(template)}
      >
        Delete…
      </Button>
    </span>
  );
};

/** The place to take a template by. */
const Handle = (props: RowProps) => {
  const { template, index, permit, isDragged } = props;
  return (
    <button
      type="button"
      class="template-handle"
      aria-label={`Move ${template.name}, number ${index + 1}`}
      title={permit.reason ?? 'Drag, or Alt with the arrow keys'}
      disabled={!permit.isAllowed}
      onKeyDown={(event) => {
        const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!event.altKey || step === undefined) return;
        event.preventDefault();
        props.onMove(index + step);
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        props.onDrag(event.clientY);
      }}
      onPointerMove={(event) => {
        if (isDragged) props.onDrag(event.clientY);
      }}
      onPointerUp={() => {
        if (isDragged) props.onDrop(true);
      }}
      onPointerCancel={() => props.onDrop(false)}
    >
      <span aria-hidden="true">⠿</span> {index + 1}
    </button>
  );
};
