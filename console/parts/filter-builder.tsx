import { useState } from 'preact/hooks';
import { levelBelow, type FilterContext } from '../language/catalogue.js';
import { levelMembers, type FilterTree, type LevelMember } from '../language/filter-tree.js';
import { parseFilter } from '../language/parse-filter.js';
import type { Population } from '../../kernel/records/record.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Select, TextField } from './field.js';
import {
  columnChoices,
  emptyGroup,
  operatorsOfColumn,
  partsOfTree,
  populationBelow,
  textOfParts,
  type FilterGroup,
  type FilterPart,
} from './filter-parts.js';

/** The filter clicked together; its text is shown, and applies once it is complete. */
export const FilterBuilder = (props: {
  readonly tree: FilterTree | null;
  readonly context: FilterContext;
  readonly onApply: (text: string) => void;
  readonly onClose: () => void;
}) => {
  const { context } = props;
  const [group, setGroup] = useState(() => {
    const parts = partsOfTree(props.tree, context.me);
    return parts.parts.length > 0 ? parts : { ...parts, parts: [newCondition] };
  });
  const text = textOfParts(group, context, context.population);
  const [problem] = parseFilter(text, context).problems;
  return (
    <Dialog title="Filter" onClose={props.onClose}>
      <GroupEditor
        group={group}
        context={context}
        population={context.population}
        onChange={setGroup}
      />
      <pre class="filter-text">{text}</pre>
      <p role="status" class="note">
        {problem?.message}
      </p>
      <Button
        look="primary"
        isDisabled={problem !== undefined}
        onClick={() => {
          props.onApply(text);
          props.onClose();
        }}
      >
        Apply
      </Button>
    </Dialog>
  );
};

const newCondition: FilterPart = { is: 'condition', column: '', operator: '', value: '' };

type EditorProps = {
  readonly context: FilterContext;
  /** The records that the part is about. */
  readonly population: Population;
};

const GroupEditor = (
  props: EditorProps & {
    readonly group: FilterGroup;
    readonly onChange: (group: FilterGroup) => void;
  },
) => {
  const { group, context, onChange } = props;
  const population = group.level === null ? props.population : populationBelow(group.level);
  const below = levelBelow[population];
  const add = (part: FilterPart): void => onChange({ ...group, parts: [...group.parts, part] });
  const replace = (at: number, part: FilterPart | null): void => {
    const parts = group.parts.flatMap((one, index) => (index === at ? (part ?? []) : one));
    onChange({ ...group, parts });
  };
  return (
    <fieldset class="filter-group">
      <legend class="visually-hidden">Conditions</legend>
      <GroupHead {...props} />
      {group.parts.map((part, index) => (
        <div key={index} class="filter-part">
          {part.is === 'group' ? (
            <GroupEditor
              group={part}
              context={context}
              population={population}
              onChange={(next) => replace(index, next)}
            />
          ) : (
            <ConditionEditor
              part={part}
              context={context}
              population={population}
              onChange={(next) => replace(index, next)}
            />
          )}
          <Button look="plain" label="Remove" onClick={() => replace(index, null)}>
            ×
          </Button>
        </div>
      ))}
      <div class="inline">
        <Button onClick={() => add(newCondition)}>Condition</Button>
        <Button onClick={() => add({ ...emptyGroup, join: 'or', parts: [newCondition] })}>
          Group
        </Button>
        {below !== null && (
          <Button
            onClick={() =>
              add({ ...emptyGroup, level: `any_${below}` as LevelMember, parts: [newCondition] })
            }
          >
            Any {below} with
          </Button>
        )}
      </div>
    </fieldset>
  );
};

const GroupHead = (
  props: EditorProps & {
    readonly group: FilterGroup;
    readonly onChange: (group: FilterGroup) => void;
  },
) => {
  const { group, onChange } = props;
  const below = levelBelow[props.population];
  const levels = (Object.keys(levelMembers) as LevelMember[]).filter(
    (level) => levelMembers[level][1] === below,
  );
  return (
    <div class="inline">
      {group.level !== null && (
        <Select
          label="Of the level below"
          value={group.level}
          choices={levels.map((value) => ({ value, text: levelMembers[value].join(' ') }))}
          onChange={(level) => onChange({ ...group, level })}
        />
      )}
      <Select
        label="Has"
        value={`${group.isNegated ? 'not ' : ''}${group.join}`}
        choices={[
          { value: 'and', text: 'all of' },
          { value: 'or', text: 'any of' },
          { value: 'not and', text: 'not all of' },
          { value: 'not or', text: 'none of' },
        ]}
        onChange={(value) =>
          onChange({
            ...group,
            isNegated: value.startsWith('not'),
            join: value.endsWith('or') ? 'or' : 'and',
          })
        }
      />
    </div>
  );
};

const ConditionEditor = (
  props: EditorProps & {
    readonly part: Exclude<FilterPart, FilterGroup>;
    readonly onChange: (part: FilterPart) => void;
  },
) => {
  const { part, context, population, onChange } = props;
  if (part.is === 'text') {
    return (
      <TextField
        label="Condition"
        value={part.text}
        onInput={(text) => onChange({ is: 'text', text })}
      />
    );
  }
  const operators = operatorsOfColumn(part.column, context, population);
  return (
    <div class="filter-condition">
      <Select
        label="Column"
        value={part.column}
        choices={[{ value: '', text: 'Choose…' }, ...columnChoices(context, population)]}
        onChange={(column) => {
          const [operator = ''] = operatorsOfColumn(column, context, population);
          onChange({ ...part, column, operator });
        }}
      />
      <Select
        label="Operator"
        value={part.operator}
        choices={operators.map((value) => ({ value, text: value }))}
        onChange={(operator) => onChange({ ...part, operator })}
      />
      {!part.operator.endsWith('empty') && (
        <TextField
          label="Value"
          value={part.value}
          onInput={(value) => onChange({ ...part, value })}
        />
      )}
    </div>
  );
};
