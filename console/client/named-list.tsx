import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { TextField } from '../parts/field.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';
import { useKeys } from './keys.js';
import type { Query } from './queries.js';

type Props = {
  readonly title: string;
  /** Name of one of the things, as in `New scorer`. */
  readonly noun: string;
  /** Whether the caller may make one, and the reason if not. */
  readonly permit: Permit;
  readonly list: Pick<Query<unknown>, 'fault' | 'refetch' | 'isBehind' | 'isLoading'>;
  readonly find: string;
  readonly onFind: (find: string) => void;
  readonly onCreate: () => void;
  /** The list itself. */
  readonly children: ComponentChildren;
};

/** A list of things that are found by name, with the button and the keys to find and make one. */
export const NamedList = (props: Props) => {
  const { noun, permit, list, onCreate } = props;
  const field = useRef<HTMLDivElement | null>(null);
  const create = (): void => {
    if (permit.isAllowed) onCreate();
  };
  useKeys(
    [
      { keys: '/', what: 'Find', run: () => field.current?.querySelector('input')?.focus() },
      { keys: 'n', what: `New ${noun}`, run: create },
      { keys: '.', what: 'Ask now', run: list.refetch },
    ],
    [permit.isAllowed],
  );
  return (
    <>
      <PageHeading title={props.title}>
        <Button look="primary" permit={permit} onClick={onCreate}>
          {`New ${noun}`}
        </Button>
        <span class="note">{permit.reason}</span>
      </PageHeading>
      <div class="find-by-name" ref={field}>
        <TextField label="Find by name" type="search" value={props.find} onInput={props.onFind} />
      </div>
      <FaultNotice fault={list.fault} onRetry={list.refetch} />
      <BehindNotice isBehind={list.isBehind} />
      {list.isLoading && <Skeleton />}
      {props.children}
    </>
  );
};
