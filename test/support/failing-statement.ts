import { DuckDBConnection } from '@duckdb/node-api';

/** The first statement like this fails, as the engine would. */
export const failAt = (
  like: RegExp,
  message: string,
  method: 'run' | 'runAndReadAll' = 'runAndReadAll',
): void => {
  const found = Reflect.get(DuckDBConnection.prototype, method);
  Reflect.set(
    DuckDBConnection.prototype,
    method,
    function (this: DuckDBConnection, ...given: Parameters<typeof found>) {
      if (!like.test(given[0])) return Reflect.apply(found, this, given);
      Reflect.set(DuckDBConnection.prototype, method, found);
      return Promise.reject(new Error(message));
    },
  );
};
