import { expect } from 'chai';
import type { HistoryEntry } from '../../../clients/typescript/src/generated/history-types.js';
import {
  actorText,
  eventWords,
  groupWords,
  lineChanges,
  namesOf,
  thingText,
} from '../../../console/history/entry-words.js';
import {
  changeText,
  entryIndexAt,
  groupEntries,
  memberChanges,
  nextOpen,
  ratedProjects,
} from '../../../console/history/model.js';
import { recordHistoryCodec, timelineCodec } from '../../../console/history/state.js';
import { fails, holds, unchecked } from '../../../console/history/seal-signature.js';
import { proofVerdict } from '../../../console/history/verdict.js';

const entry = (seq: number, correlation: string | null): HistoryEntry =>
  ({
    seq,
    correlation_id: correlation,
    position: seq.toString(16).padStart(16, '0'),
    at: `2026-03-01T09:00:0${seq}.000000Z`,
  }) as HistoryEntry;

describe('the timeline of the history', () => {
  it('groups entries of one correlation where the first of them stands, each once', () => {
    const entries = [entry(5, 'a'), entry(4, 'b'), entry(3, 'a'), entry(3, 'a'), entry(2, null)];
    const groups = groupEntries(entries).map((group) => group.entries.map(({ seq }) => seq));
    expect(groups).to.deep.equal([[5, 3], [4], [2]]);
    expect([null, '5', '3', '2'].map((open) => nextOpen(entries, open, 1))).to.deep.equal([
      '5',
      '3',
      '4',
      '2',
    ]);
  });

  it('says what happened in words, of one entry and of all of a request', () => {
    expect(['TraceLogged', 'ApiKeyCreated', 'DatasetContentChanged'].map(eventWords)).to.deep.equal(
      ['Trace logged', 'API key created', 'Dataset content changed'],
    );
    const many = (type: string, count: number) => Array.from({ length: count }, () => type);
    expect(groupWords(many('TraceLogged', 12))).to.equal('12 traces logged');
    expect(groupWords([...many('ScorerPropertyChanged', 2), 'SpansLogged'])).to.equal(
      '2 scorer properties changed, spans logged',
    );
    expect(groupWords(['AaBb', 'BbCc', 'CcDd', 'DdEe', 'EeFf'])).to.equal(
      'Aa bb, bb cc, cc dd, 2 other kinds',
    );
  });

  it('names people, keys and things where they are known, else by their id', () => {
    const [ada, key, dataset] = ['ada-0000-1', 'key-0000-2', 'set-0000-3'];
    const of = (seq: number, type: string, id: string, change: object): HistoryEntry =>
      ({
        ...entry(seq, null),
        actor: { type, id, email: 'ada@example.org', role: 'editor' },
        resource: { type: 'dataset', id: dataset },
        before: null,
        after: null,
        ...change,
      }) as HistoryEntry;
    const renamed = of(3, 'user', ada, { before: { name: 'old' }, after: { name: 'new' } });
    const made = of(2, 'api_key', key, { after: { id: dataset, name: 'old', rows: 4 } });
    const person = { id: ada, email: 'ada@example.org', first_name: 'Ada', last_name: 'Lovelace' };
    const names = namesOf([renamed, made], [person], [{ id: key, description: 'nightly' }]);
    expect(actorText(renamed, names)).to.equal('Ada Lovelace');
    expect(actorText(made, names)).to.equal('key nightly');
    expect(thingText(made, names)).to.deep.equal({ kind: 'dataset', name: 'new' });
    const none = namesOf([], [], []);
    expect(actorText(renamed, none)).to.equal('ada@example.org');
    expect(actorText(made, none)).to.equal('key key-0000');
    expect(thingText(made, none).name).to.equal('set-0000');
    expect(lineChanges(renamed).map(changeText)).to.deep.equal(['old → new']);
    expect(lineChanges(made)).to.deep.equal([]);
  });

  it('names the template and the person of a rating', () => {
    const [template, ada] = [
      '6f1c0a52-7d8e-4b9f-a0c1-d2e3f4a5b6c7',
      '5c0d9d8e-1f0a-4a53-9d4b-3f1f6a1f7a20',
    ];
    const rating = (value: unknown) => ({ annotations: { [template]: { [ada]: { value } } } });
    const rated = { ...entry(2, null), project_id: 'p', before: rating(null), after: rating(4) };
    expect(ratedProjects([{ ...entry(1, null), project_id: 'q', before: null, after: {} }])).to.be
      .empty;
    expect(ratedProjects([rated])).to.deep.equal(['p']);
    const person = { id: ada, email: 'ada@example.org', first_name: 'Ada', last_name: '' };
    const names = namesOf([], [person], [], [{ id: template, name: 'Helpful' }]);
    const shown = (known: typeof names) => lineChanges(rated, known).map(({ path }) => path);
    expect(shown(names)).to.deep.equal(['Helpful / Ada']);
    expect(shown(new Map())).to.deep.equal(['6f1c0a52 / 5c0d9d8e']);
  });

  it('says of a proof in a sentence what its steps show', () => {
    const all = { content: holds(''), fields: holds(''), path: holds(''), signature: holds('') };
    const when = ' on 26 Nov 13:43 by key 51bcf6e6';
    expect(proofVerdict(all, when)).to.deep.equal({
      outcome: 'holds',
      text: 'Unchanged since it was sealed on 26 Nov 13:43 by key 51bcf6e6.',
    });
    const broken = proofVerdict({ ...all, content: fails(''), signature: unchecked('') }, when);
    expect(broken).to.deep.equal({
      outcome: 'fails',
      text: 'Not proven: its content is not what was recorded.',
    });
    const outcomeOf = (step: object) => proofVerdict({ ...all, ...step }, when).outcome;
    expect(outcomeOf({ signature: unchecked('') })).to.equal('unchecked');
    expect(outcomeOf({ content: unchecked('') })).to.equal('holds');
  });

  it('shows members before and after, texts by size, and says which stayed', () => {
    const text = { sha256: 'ab'.repeat(32), bytes: 12_288 };
    const other = { sha256: 'cd'.repeat(32), bytes: 5 };
    const changes = memberChanges(
      { name: 'old', input: text, output: text, a: { b: 1 } },
      { name: 'new', input: text, output: other, a: { b: null, c: [text] } },
    );
    expect(changes.map((change) => `${change.path}: ${changeText(change)}`)).to.deep.equal([
      'name: old → new',
      'input: 12 KB, unchanged',
      'output: 12 KB, abababab… → 5 B, cdcdcdcd…',
      'a / b: 1 → –',
      'a / c: ["12 KB, abababab…"]',
    ]);
    expect(memberChanges(null, null)).to.deep.equal([]);
  });

  it('finds the entry of a position or an instant', () => {
    const entries = [entry(1, null), entry(3, null)];
    const find = (at: string | null) => entryIndexAt(entries, at);
    expect(find(null)).to.equal(1);
    expect(find('0000000000000000')).to.equal(-1);
    expect(find('0000000000000002')).to.equal(0);
    expect(find('2026-03-01T09:00:03.000000Z')).to.equal(1);
  });

  it('keeps filters and the open entry in the address', () => {
    const view = {
      ...timelineCodec.read(''),
      who: ['5c0d9d8e-1f0a-4a53-9d4b-3f1f6a1f7a20'],
      type: ['RatingGiven', 'DatasetRenamed'],
      technical: 'on' as const,
      sel: '4180',
    };
    expect(timelineCodec.read(timelineCodec.write(view))).to.deep.equal(view);
    const record = { project: null, at: '00000000000005a1', sel: null, prove: 'on' as const };
    expect(recordHistoryCodec.read(recordHistoryCodec.write(record))).to.deep.equal(record);
  });
});
