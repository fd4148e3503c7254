import { nodeTypes, type NodeType } from '../../kernel/sandbox.js';
import { Checkbox } from '../parts/field.js';

/** The kinds of records that a scorer scores, each with a box. */
export const NodeTypes = (props: {
  readonly chosen: readonly NodeType[];
  readonly isDisabled?: boolean;
  readonly onChange: (chosen: readonly NodeType[]) => void;
}) => {
  const { chosen } = props;
  const change = (kind: NodeType, isChecked: boolean): void =>
    props.onChange(nodeTypes.filter((one) => (one === kind ? isChecked : chosen.includes(one))));
  return (
    <fieldset class="scorer-kinds">
      <legend>Scores</legend>
      {nodeTypes.map((kind) => (
        <Checkbox
          key={kind}
          label={kind}
          isChecked={chosen.includes(kind)}
          isDisabled={props.isDisabled === true}
          onChange={(isChecked) => change(kind, isChecked)}
        />
      ))}
    </fieldset>
  );
};
