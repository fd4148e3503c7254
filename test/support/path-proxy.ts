import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type PathProxy = {
  /** Address of the service behind the proxy, without a slash at the end. */
  readonly url: string;
  readonly close: () => Promise<void>;
};

/**
 * A reverse proxy that serves a service below a path, `/tools/assay/`. It takes the path off, keeps
 * everything else, `Host` included, and answers 404 outside of the path.
 */
export const startPathProxy = async (target: string, path: string): Promise<PathProxy> => {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, answer) => {
    const { url = '', method, headers } = incoming;
    if (!url.startsWith(path)) {
      answer.writeHead(404).end();
      return;
    }
    const onward = { hostname, port, method, headers, path: `/${url.slice(path.length)}` };
    const outgoing = request(onward, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: ownPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${ownPort}${path.replace(/\/$/, '')}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
