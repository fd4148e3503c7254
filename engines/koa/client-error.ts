import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Ids } from '../../kernel/ports.js';
import { parseErrorStatus, parseErrorBody } from './problem.js';
import { constantHeaders } from './respond.js';

/** Responds to input that Node rejects before there is a request, and closes the connection. */
export const answerClientError =
  (ids: Ids) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || (socket as Socket).destroyed) {
      socket.destroy();
      return;
    }
    const status = parseErrorStatus(error.code);
    const requestId = ids.next('RequestId');
    const body = parseErrorBody(status, requestId);
    const headers = {
      ...constantHeaders,
      'X-Request-Id': requestId,
      ...(body !== '' && { 'Content-Type': 'application/json; charset=utf-8' }),
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  };
