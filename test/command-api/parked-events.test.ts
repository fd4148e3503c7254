import { expect } from 'chai';
import {
  retryParkedStream,
  skippedEvents,
  skipParkedEvent,
} from '../../command-api/parking/parked-events.js';
import type { ParkingEvent } from '../../events/parking.js';
import { deciderSpec } from '../support/decider-spec.js';

const given = deciderSpec(skippedEvents);
const place = {
  projection: 'records',
  stream: 'trace-1',
  revision: 1,
  event_id: '7e0b1c2d-3f4a-4b5c-8d6e-7f8091a2b3c4',
  reason: 'broken by hand',
  operator: 'ada',
};
const skipped: ParkingEvent = { type: 'ParkedEventSkipped', data: place };
const retried: ParkingEvent = { type: 'ParkedStreamRetried', data: place };

describe('decisions on a parked stream', () => {
  it('skip an event once', () => {
    given().when(skipParkedEvent(place)).then(skipped);
    given(skipped)
      .when(skipParkedEvent({ ...place, reason: 'again', operator: 'bob' }))
      .thenNothing();
  });
  it('concern one event of one read model', () => {
    for (const other of [{ projection: 'words' }, { stream: 'trace-2' }, { revision: 2 }]) {
      const data = { ...place, ...other };
      given(skipped).when(skipParkedEvent(data)).then({ type: 'ParkedEventSkipped', data });
    }
  });
  it('record each retry', () => {
    expect(retryParkedStream(place)(skippedEvents.initial)).to.deep.equal([retried]);
    expect(
      retryParkedStream(place)(skippedEvents.evolve(skippedEvents.initial, retried)),
    ).to.deep.equal([retried]);
  });
});
