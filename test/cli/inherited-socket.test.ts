import { expect } from 'chai';
import { inheritedSocket } from '../../src/cli/inherited-socket.js';

describe('the inherited socket', () => {
  it('is the first descriptor that is passed to this process', () => {
    expect(inheritedSocket({ LISTEN_PID: '7', LISTEN_FDS: '1' }, 7)).to.equal(3);
  });

  it('is none without the variables, or if they are meant for another process', () => {
    expect(inheritedSocket({}, 7)).to.equal(null);
    expect(inheritedSocket({ LISTEN_FDS: '1' }, 7)).to.equal(null);
    expect(inheritedSocket({ LISTEN_PID: '8', LISTEN_FDS: '1' }, 7)).to.equal(null);
  });

  it('is refused among several', () => {
    expect(() => inheritedSocket({ LISTEN_PID: '7', LISTEN_FDS: '2' }, 7)).to.throw(
      'LISTEN_FDS: expected 1 socket, got "2"',
    );
  });
});
