import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBListType,
  listValue,
  UINTEGER,
  UUID,
  VARCHAR,
  type DuckDBDataChunk,
  type DuckDBType,
} from '@duckdb/node-api';
import bindings from '@duckdb/node-bindings';

// The library puts cells into a chunk one by one: ids as big integers, a bit of validity by several
// of them. So columns are put together here as the engine has them, and copied once (D-177).

/** Ids are canonical texts. A `bigint` is for BIGINT, and so is a whole number. */
export type CellValue = string | number | boolean | bigint | readonly string[];

/** One column of a chunk: what is not put is null. */
export type ColumnVector = {
  /** Rows in any order, each once. */
  readonly put: (row: number, value: CellValue) => void;
  /** Into the chunk that has this many rows. It may be called once. */
  readonly copyTo: (chunk: DuckDBDataChunk, column: number, rows: number) => void;
};

/** What the engine takes in one chunk. */
export const chunkRows = 2_048;
const bitsOfByte = 8;
/** Of the widest cells, which are ids, and the places of lists. */
const cellBytes = 16;

/** Memory for the cells of columns, used again and again: as much as a batch ever needed. */
const freeBuffers: ArrayBuffer[] = [];
const takeBuffer = (): ArrayBuffer => freeBuffers.pop() ?? new ArrayBuffer(chunkRows * cellBytes);

const openValidity = () => {
  const space = new ArrayBuffer(chunkRows / bitsOfByte);
  const bits = new Uint8Array(space);
  return {
    set: (row: number): void => {
      bits[row >>> 3] = (bits[row >>> 3] ?? 0) | (1 << (row & 7));
    },
    copyTo: (chunk: DuckDBDataChunk, column: number): void => copyValidity(chunk, column, space),
  };
};

const copyValidity = ({ chunk }: DuckDBDataChunk, column: number, bits: ArrayBuffer): void => {
  const vector = bindings.data_chunk_get_vector(chunk, column);
  bindings.vector_ensure_validity_writable(vector);
  bindings.copy_data_to_vector_validity(vector, 0, bits, 0, bits.byteLength);
};

const allNull = new ArrayBuffer(chunkRows / bitsOfByte);
const zeroCells = new ArrayBuffer(chunkRows * cellBytes);
/** Half of a record's columns have no value. A list has its place in the vector even then. */
export const writeNulls = (chunk: DuckDBDataChunk, column: number, type: DuckDBType): void => {
  if (type instanceof DuckDBListType) {
    const vector = bindings.data_chunk_get_vector(chunk.chunk, column);
    bindings.copy_data_to_vector(vector, 0, zeroCells, 0, zeroCells.byteLength);
  }
  copyValidity(chunk, column, allNull);
};

type Put = (row: number, value: CellValue) => void;

/** Cells of one width, that `over` puts into memory. */
const fixedWidthVector =
  (width: number, over: (space: ArrayBuffer) => Put): (() => ColumnVector) =>
  () => {
    const space = takeBuffer();
    const put = over(space);
    const validity = openValidity();
    return {
      put: (row, value) => {
        put(row, value);
        validity.set(row);
      },
      copyTo: (chunk, column, rows) => {
        const vector = bindings.data_chunk_get_vector(chunk.chunk, column);
        bindings.copy_data_to_vector(vector, 0, space, 0, rows * width);
        validity.copyTo(chunk, column);
        freeBuffers.push(space);
      },
    };
  };

const textVector = (): ColumnVector => {
  const rows: number[] = [];
  const values: string[] = [];
  const validity = openValidity();
  return {
    put: (row, value) => {
      rows.push(row);
      values.push(value as string);
      validity.set(row);
    },
    copyTo: (chunk, column) => {
      const vector = bindings.data_chunk_get_vector(chunk.chunk, column);
      for (let at = 0; at < rows.length; at += 1)
        bindings.vector_assign_string_element(vector, rows[at] ?? 0, values[at] ?? '');
      validity.copyTo(chunk, column);
    },
  };
};

/** Few records have any, so the library may. */
const listVector = (): ColumnVector => {
  const values: (readonly string[])[] = [];
  return {
    put: (row, value) => {
      values[row] = value as readonly string[];
    },
    copyTo: (chunk, column, rows) => {
      const all = Array.from({ length: rows }, (_, row) => {
        const list = values[row];
        return list === undefined ? null : listValue([...list]);
      });
      chunk.setColumnValues(column, all);
    },
  };
};

const doubleVector = fixedWidthVector(8, (space) => {
  const cells = new Float64Array(space);
  return (row, value) => {
    cells[row] = value as number;
  };
});

const integerVector = fixedWidthVector(4, (space) => {
  const cells = new Uint32Array(space);
  return (row, value) => {
    cells[row] = value as number;
  };
});

const bigintVector = fixedWidthVector(8, (space) => {
  const cells = new BigInt64Array(space);
  return (row, value) => {
    cells[row] = BigInt(value as number | bigint);
  };
});

const booleanVector = fixedWidthVector(1, (space) => {
  const cells = new Uint8Array(space);
  return (row, value) => {
    cells[row] = value === true ? 1 : 0;
  };
});

/** 128 bits, the lowest word first and the highest bit turned, so that they sort as their texts. */
const uuidVector = fixedWidthVector(cellBytes, (space) => {
  const words = new Uint32Array(space);
  return (row, value) => {
    const text = value as string;
    const at = row * 4;
    words[at] = wordAt(text, 28, 32);
    words[at + 1] = wordAt(text, 19, 24);
    words[at + 2] = wordAt(text, 9, 14);
    words[at + 3] = wordAt(text, 0, 4) ^ 0x8000_0000;
  };
});

/** Twice four hexadecimal digits. */
const wordAt = (text: string, high: number, low: number): number =>
  (fourAt(text, high) << 16) | fourAt(text, low);
const fourAt = (text: string, at: number): number =>
  (digitAt(text, at) << 12) |
  (digitAt(text, at + 1) << 8) |
  (digitAt(text, at + 2) << 4) |
  digitAt(text, at + 3);
/** Of `0` to `9` and `a` to `f`. */
const digitAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code < 0x3a ? code - 0x30 : code - 0x57;
};

const vectorsByType: ReadonlyMap<DuckDBType, () => ColumnVector> = new Map<
  DuckDBType,
  () => ColumnVector
>([
  [DOUBLE, doubleVector],
  [UINTEGER, integerVector],
  [BIGINT, bigintVector],
  [BOOLEAN, booleanVector],
  [UUID, uuidVector],
  [VARCHAR, textVector],
]);

/** Of a type that schema.ts uses. */
export const openColumnVector = (type: DuckDBType): ColumnVector => {
  const open = type instanceof DuckDBListType ? listVector : vectorsByType.get(type);
  if (open === undefined) throw new TypeError(`no cells of ${type.toString()}`);
  return open();
};
