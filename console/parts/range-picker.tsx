import { useState } from 'preact/hooks';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Select, TextField } from './field.js';
import { rangeMember, rangePresets, type RangePreset, type TimeRange } from './address.js';

const presetTexts: Readonly<Record<RangePreset, string>> = {
  '15m': '15 minutes',
  '1h': '1 hour',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  all: 'All time',
};

/** Chooses a time range: one that moves with the clock, or two instants. */
export const RangePicker = (props: {
  readonly range: TimeRange;
  readonly onChange: (range: TimeRange) => void;
}) => {
  const [isChoosing, setIsChoosing] = useState(false);
  const { range } = props;
  const isFixed = typeof range !== 'string';
  const choices = rangePresets.map((value) => ({ value, text: presetTexts[value] }));
  return (
    <>
      <Select
        label="Range"
        value={isFixed ? 'fixed' : range}
        choices={[
          ...choices,
          ...(isFixed ? [{ value: 'fixed' as const, text: rangeText(range) }] : []),
          { value: 'other' as const, text: 'From … to …' },
        ]}
        onChange={(value) => {
          if (value === 'other') setIsChoosing(true);
          else if (value !== 'fixed') props.onChange(value);
        }}
      />
      {isChoosing && (
        <BoundsDialog
          range={range}
          onClose={() => setIsChoosing(false)}
          onChange={(bounds) => {
            setIsChoosing(false);
            props.onChange(bounds);
          }}
        />
      )}
    </>
  );
};

const BoundsDialog = (props: {
  readonly range: TimeRange;
  readonly onClose: () => void;
  readonly onChange: (range: TimeRange) => void;
}) => {
  const isFixed = typeof props.range !== 'string';
  const [from, setFrom] = useState(isFixed ? props.range.from : '');
  const [to, setTo] = useState(isFixed ? props.range.to : '');
  const [complaint, setComplaint] = useState<string | null>(null);
  return (
    <Dialog title="Range" onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const range = rangeMember().parse(`${from.trim()}..${to.trim()}`);
          if (range === undefined) setComplaint('Two instants, the earlier one first');
          else props.onChange(range);
        }}
      >
        <TextField
          label="From"
          value={from}
          onInput={setFrom}
          hint="2026-11-22 18:06, UTC without a zone"
        />
        <TextField label="To" value={to} onInput={setTo} complaint={complaint} />
        <Button type="submit" look="primary">
          Show
        </Button>
      </form>
    </Dialog>
  );
};

const boundForm = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

const rangeText = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  boundForm.formatRange(new Date(from), new Date(to));

/** The range in words. */
export const rangeName = (range: TimeRange): string =>
  typeof range === 'string' ? presetTexts[range] : rangeText(range);
