import { useState } from 'preact/hooks';
import type { FilterTree } from '../language/filter-tree.js';
import { Checkbox, TextField } from '../parts/field.js';
import { Button } from '../parts/button.js';
import type { Population } from '../../kernel/records/record.js';
import { facetSelection, withFacet, withoutFacet, withTerm } from './facet-edits.js';
import { facetsMax, facetValues, foundFacets, type Facet } from './facets.js';
import { useCounts, withFilter, type RecordQuestion } from './questions.js';

type Props = {
  readonly population: Population;
  readonly question: RecordQuestion;
  readonly tree: FilterTree | null;
  readonly isReady: boolean;
  readonly onTree: (tree: FilterTree | null) => void;
};

/** Facets are asked for when they are opened; the first ones are open. */
const openedFacets = 2;

/**
 * Columns with their values and counts: each choice is a condition of the filter. Of very many the
 * first ones, and those with a choice; the others are found by name.
 */
export const FacetList = (props: Props & { readonly facets: readonly Facet[] }) => {
  const { facets, tree } = props;
  const [wanted, setWanted] = useState('');
  const found = foundFacets(facets, tree, wanted);
  return (
    <aside class="facets" aria-label="Facets">
      {facets.length > facetsMax && (
        <TextField
          label={`Find among ${facets.length.toLocaleString('en')} facets`}
          type="search"
          value={wanted}
          onInput={setWanted}
        />
      )}
      {found.shown.map((facet) => (
        <FacetBox
          key={`${facet.isOfSpans} ${facet.column.id}`}
          {...props}
          facet={facet}
          isFirst={facets.indexOf(facet) < openedFacets}
        />
      ))}
      {found.more > 0 && <span class="note">{found.more.toLocaleString('en')} more</span>}
    </aside>
  );
};

type BoxProps = Props & { readonly facet: Facet };

const FacetBox = (props: BoxProps & { readonly isFirst: boolean }) => {
  const { facet, tree } = props;
  const selection = facetSelection(tree, facet.column, facet.isOfSpans);
  const [isOpen, setIsOpen] = useState(props.isFirst || selection.length > 0);
  return (
    <details class="facet" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        {facet.isOfSpans ? `${facet.column.label} of a span` : facet.column.label}
        {selection.length > 0 && <strong> {selection.join(', ')}</strong>}
      </summary>
      {isOpen && <FacetValues {...props} selection={selection} />}
    </details>
  );
};

const shownMax = 8;
const foundMax = 50;

const FacetValues = (props: BoxProps & { readonly selection: readonly string[] }) => {
  const { facet, selection, tree } = props;
  const { column, isOfSpans } = facet;
  const [wanted, setWanted] = useState('');
  const answer = useCounts(
    props.population,
    withFilter(props.question, withoutFacet(tree, column, isOfSpans)),
    {
      name: 'facet',
      groupBy: isOfSpans ? `any_span.${column.id}` : column.id,
      minutes: null,
      isEnabled: props.isReady,
    },
  );
  if (answer.fault !== null) return <FacetText {...props} />;
  const all = answer.value === undefined ? [] : facetValues(answer.value);
  const found = all.filter(({ text }) => text.toLowerCase().includes(wanted.toLowerCase()));
  const shown = found.slice(0, wanted === '' ? shownMax : foundMax);
  const chosen = all.filter(({ text }) => selection.includes(text) && !shown.some(isText(text)));
  const choose = (text: string, isChosen: boolean): void => {
    const others = selection.filter((one) => one !== text);
    props.onTree(withFacet(tree, column, isOfSpans, isChosen ? [...others, text] : others));
  };
  return (
    <div class="facet-values" aria-busy={answer.isPrevious}>
      {all.length > shownMax && (
        <TextField
          label={`Find among ${all.length} values`}
          type="search"
          value={wanted}
          onInput={setWanted}
        />
      )}
      {[...chosen, ...shown].map(({ text, count }) => (
        <div key={text} class="facet-value">
          <Checkbox
            label={text === '' ? 'none' : text}
            isChecked={selection.includes(text)}
            isDisabled={text === '' && column.filter_type !== 'text'}
            onChange={(isChecked) => choose(text, isChecked)}
          />
          <span class="note">{count.toLocaleString('en')}</span>
        </div>
      ))}
      {found.length > shown.length && (
        <span class="note">{(found.length - shown.length).toLocaleString('en')} more</span>
      )}
      {answer.value !== undefined && all.length === 0 && <span class="note">No values</span>}
    </div>
  );
};

const isText =
  (text: string) =>
  (one: { readonly text: string }): boolean =>
    one.text === text;

/** A field instead of values where there are more than the service groups. */
const FacetText = (props: BoxProps) => {
  const [text, setText] = useState('');
  const { column, isOfSpans } = props.facet;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const term: FilterTree = {
      filter:
        column.filter_type === 'collection'
          ? { type: 'collection', name: column.id, operator: 'contains', value: [text] }
          : {
              type: 'text',
              name: column.id,
              operator: 'contains',
              value: text,
              case_sensitive: false,
            },
    };
    props.onTree(withTerm(props.tree, isOfSpans ? { any_span: term } : term));
  };
  return (
    <form class="facet-values" onSubmit={submit}>
      <TextField label="More than 1,000 values: contains" value={text} onInput={setText} />
      <Button type="submit" isDisabled={text === ''}>
        Add
      </Button>
    </form>
  );
};
