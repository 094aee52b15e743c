// Keeps every server of this process on the loopback interface; loaded with `node --require`.
//
// A server that is told only a port listens on all interfaces. Here it gets a handle that is
// bound to 127.0.0.1 already, so that `address()` answers at once, as it does without this file.
'use strict';

const net = require('node:net');

const listen = net.Server.prototype.listen;

net.Server.prototype.listen = function (port, ...rest) {
  if (typeof port !== 'number' || typeof rest[0] === 'string') {
    return listen.call(this, port, ...rest);
  }
  const handle = net._createServerHandle('127.0.0.1', port, 4);
  if (typeof handle === 'number') throw new Error(`127.0.0.1:${port} cannot be bound (${handle})`);
  return listen.call(this, handle, ...rest);
};
