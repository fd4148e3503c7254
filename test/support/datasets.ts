import type { App } from './app.js';
import type { Client, Reply } from './client.js';
import { formRequest, type FormPart } from './multipart-forms.js';

export type DatasetRecord = {
  readonly id: string;
  readonly name: string;
  readonly num_rows: number;
  readonly column_names: readonly string[];
  readonly project_count: number;
  readonly current_version_index: number;
  readonly draft: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly column_mapping: unknown;
  readonly permissions: readonly { readonly action: string; readonly allowed: boolean }[];
  readonly [member: string]: unknown;
};
export type ContentPage = {
  readonly column_names: readonly string[];
  readonly next_starting_token: number | null;
  readonly rows: readonly {
    readonly row_id: string;
    readonly index: number;
    readonly values: readonly unknown[];
    readonly values_dict: Readonly<Record<string, unknown>>;
    readonly metadata: Readonly<Record<string, unknown>>;
  }[];
};

type UploadOptions = {
  readonly parts?: Readonly<Record<string, string>>;
  readonly file?: string | Uint8Array;
  readonly fileName?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: Client;
};

/** A dataset made over HTTP, of a CSV file unless told. */
export const upload = (app: App, more: UploadOptions = {}): Promise<Reply<DatasetRecord>> => {
  const { parts = {}, file, fileName = 'rows.csv', query = '', as = app.client } = more;
  const texts: readonly FormPart[] = Object.entries(parts).map(([name, content]) => ({
    name,
    content,
  }));
  const files: readonly FormPart[] =
    file === undefined ? [] : [{ name: 'file', content: file, fileName }];
  return as.send<DatasetRecord>(
    'POST',
    `/v2/datasets${query}`,
    formRequest([...files, ...texts], more.headers),
  );
};

/** The texts of a page, row by row. */
export const valuesOf = ({ rows }: ContentPage): readonly (readonly unknown[])[] =>
  rows.map(({ values }) => values);
